import { useState, type FormEvent } from "react";
import type { Conversation, Line, Question } from "./conversation.ts";

/** Draws a conversation. */
export function View({ conversation }: { conversation: Conversation }) {
  const { lines, questions, isLoading, error, send, stop } = conversation;
  const [text, setText] = useState("");
  const say = (event: FormEvent) => {
    event.preventDefault();
    send(text);
    setText("");
  };
  return (
    <main>
      <ol aria-label="Messages">
        {lines.map((line) => (
          <Said key={line.id} line={line} />
        ))}
      </ol>
      {questions.map((question) => (
        <Asked key={question.id} question={question} decide={conversation.decide} />
      ))}
      {error !== null && <p role="alert">{error}</p>}
      <p role="status">{isLoading ? "running" : "idle"}</p>
      <form onSubmit={say}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
        <button type="button" onClick={stop}>
          Stop
        </button>
      </form>
    </main>
  );
}

function Said({ line: { type, text, edit, branches } }: { line: Line }) {
  return (
    <li data-type={type}>
      <span>{text}</span>
      {edit && (
        <button type="button" onClick={() => edit(`${text}, edited`)}>
          Edit
        </button>
      )}
      {branches && (
        <button type="button" onClick={branches.next}>
          {`Branch ${branches.shown}`}
        </button>
      )}
    </li>
  );
}

function Asked({ question, decide }: { question: Question; decide: Conversation["decide"] }) {
  const [args, setArgs] = useState(() => JSON.stringify(question.args));
  const edited = () => ({ name: question.name, args: JSON.parse(args) as Record<string, unknown> });
  return (
    <section aria-label={`Approve ${question.name} ${JSON.stringify(question.args)}`}>
      <h2>{question.name}</h2>
      <p>{question.description}</p>
      <input aria-label="Arguments" value={args} onChange={(event) => setArgs(event.target.value)} />
      <button type="button" onClick={() => decide(question, { type: "approve" })}>
        Approve
      </button>
      <button type="button" onClick={() => decide(question, { type: "reject", message: "Not that one." })}>
        Reject
      </button>
      <button type="button" onClick={() => decide(question, { type: "edit", editedAction: edited() })}>
        Run as edited
      </button>
    </section>
  );
}
