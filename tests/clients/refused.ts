import { expect } from "vitest";

interface Problem {
  status: number;
  code: string;
  detail: string;
}

/** Expects a refusal by its status and its code, and that it says in words whose move it is. */
export async function refusedWith(
  answer: Promise<unknown>,
  status: number,
  code: string,
  words: RegExp,
): Promise<void> {
  const error: unknown = await answer.then(
    () => "It was not refused.",
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error(String(error));
  const { text, message } = error as Error & { text?: string };
  const problem = JSON.parse(text ?? message.slice(message.indexOf("{"))) as Problem;
  expect(problem).toMatchObject({ status, code });
  expect(problem.detail).toMatch(words);
}
