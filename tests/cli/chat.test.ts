import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runCli, startCli, unbarred, widest, type RunningCli } from "./run-cli.ts";
import { startStub } from "./stub-server.ts";
import { graphWith, removeProject, tempProject } from "./temp-project.ts";

// Each test starts a chat with its server, which takes its time on a small machine.
vi.setConfig({ testTimeout: 60_000 });

const REQUEST = "delete notes/old.md and show me notes/todo.md";
const ID = /apr_[0-9a-f]{32}/;
const folders: string[] = [];
const running: RunningCli[] = [];

async function project(files: Record<string, string> = {}): Promise<string> {
  const folder = await tempProject(files);
  folders.push(folder);
  return folder;
}

/** A chat in a folder, with its server in the same process on a free port. */
function chat(cwd: string, args: string[] = [], env: Record<string, string> = {}): RunningCli {
  const cli = startCli(["chat", ...args], { cwd, env: { COUNTERSIGN_PORT: "0", ...env } });
  running.push(cli);
  return cli;
}

const urlOf = async (cli: RunningCli) => (await cli.until(/server +(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
const threadOf = async (cli: RunningCli) => (await cli.until(/thread +(\S+?),?\s/))[1] ?? "";
const questionOf = async (cli: RunningCli) => (await cli.until(/id +(apr_[0-9a-f]{32})/))[1] ?? "";
const file = (cwd: string, name: string) => join(cwd, "workspace/notes", name);

afterEach(async () => {
  await Promise.all(running.splice(0).map((cli) => cli.stop("SIGKILL")));
  await Promise.all(folders.splice(0).map(removeProject));
});

describe("a chat with a graph that the server does not have", () => {
  it("ends before the first message and names --graph and the graphs there are", async () => {
    const mail = { graphs: { mail: "./mail.mjs:agent", post: "./mail.mjs:agent" } };
    const cwd = await project({
      "langgraph.json": JSON.stringify(mail),
      "mail.mjs": graphWith({ version: 1 }),
    });
    const { code, stderr } = await chat(cwd).finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/ has no graph "agent"\. Choose one with --graph; there are: mail, post\.\n$/);
    const cli = chat(cwd, ["--graph", "mail"]);
    await threadOf(cli);
    expect((await cli.stop("SIGINT")).code).toBe(0);
  });
});

describe("a newcomer's chat", () => {
  it("says what it is, what to type, which model, where the server is, and the thread", async () => {
    const cli = chat(await project());
    await threadOf(cli);
    const { code, stdout, stderr } = await cli.stop("SIGINT");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Try: ${REQUEST}`);
    expect(stdout).toMatch(/model +the rehearsal model/);
    expect(stdout).toMatch(
      /server +http:\/\/127\.0\.0\.1:\d+, started here, kept in file:\.countersign\/state\.db/,
    );
    expect(stdout).toMatch(/Come back with:\n +countersign chat --thread \S+\n$/);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it("reads at once, deletes only after approval, and ends with what was done", async () => {
    const cwd = await project();
    const cli = chat(cwd);
    await threadOf(cli);
    cli.type(REQUEST);
    await questionOf(cli);
    for (const part of [
      /✓ read_file done/,
      /tool +delete_file/,
      /arguments +{"path":"notes\/old\.md"}/,
      /tier +approve/,
      /rule +none/,
      /reason +\S/,
      /time left +(23 h 59 min|24 h|1 d)/,
    ]) {
      expect(cli.stdout()).toMatch(part);
    }
    expect(cli.stdout()).not.toContain("✓ delete_file");
    expect(existsSync(file(cwd, "old.md"))).toBe(true);
    cli.type("approve");
    await cli.until(/✓ delete_file done/);
    await cli.until(/Done: delete notes\/old\.md/);
    expect(existsSync(file(cwd, "old.md"))).toBe(false);
    cli.type("/quit");
    const { code, stdout, stderr } = await cli.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Answer the customer about order 3");
    expect(stdout.match(/I will delete/g)).toHaveLength(1);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it("is driven by a pipe from beginning to end", async () => {
    const cwd = await project();
    const { code, stdout } = await runCli(["chat"], {
      cwd,
      env: { COUNTERSIGN_PORT: "0" },
      input: `${REQUEST}\nreject because it is still needed\n`,
    });
    expect(code).toBe(0);
    expect(unbarred(stdout)).toContain("with the reason: it is still needed");
    expect(existsSync(file(cwd, "old.md"))).toBe(true);
  });
});

describe("leaving and coming back", () => {
  it("keeps the question under the same id", async () => {
    const cwd = await project();
    const first = chat(cwd);
    const thread = await threadOf(first);
    first.type(REQUEST);
    const id = await questionOf(first);
    const left = await first.stop("SIGINT");
    expect(left.code).toBe(0);
    expect(left.stdout).toMatch(/1 question is still open, and kept\./);

    const second = chat(cwd, ["--thread", thread]);
    expect(await questionOf(second)).toBe(id);
    expect(second.stdout()).toContain(REQUEST);
    second.type("approve");
    await second.until(/Done: delete notes\/old\.md/);
    expect(existsSync(file(cwd, "old.md"))).toBe(false);
    expect((await second.stop("SIGINT")).stdout).not.toContain("still open");
  });

  it("keeps the question when the input ends before the answer", async () => {
    const cwd = await project();
    const settings = { cwd, env: { COUNTERSIGN_PORT: "0" } };
    const left = await runCli(["chat"], { ...settings, input: `${REQUEST}\n` });
    expect(left.code).toBe(0);
    const [, thread = ""] = /--thread (\S+)/.exec(left.stdout) ?? [];
    const back = await runCli(["chat", "--thread", thread], { ...settings, input: "respond It is gone.\n" });
    expect(ID.exec(back.stdout)?.[0]).toBe(ID.exec(left.stdout)?.[0]);
    expect(back.stdout).toContain("It is gone.");
    expect(existsSync(file(cwd, "old.md"))).toBe(true);
  });

  it("does not come back to a thread that is not there", async () => {
    const { code, stderr } = await runCli(["chat", "--thread", "5b3f9a3e-0000-4000-8000-000000000000"], {
      cwd: await project(),
      env: { COUNTERSIGN_PORT: "0" },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^There is no thread "5b3f9a3e.*\n$/);
  });
});

describe("a question in the chat", () => {
  async function asked(request = REQUEST) {
    const cwd = await project();
    const cli = chat(cwd);
    await threadOf(cli);
    cli.type(request);
    const id = await questionOf(cli);
    return { cwd, cli, id, url: await urlOf(cli) };
  }

  it("may be decided in a second terminal, and the chat notices and goes on", async () => {
    const { cwd, cli, id, url } = await asked();
    const env = { COUNTERSIGN_URL: url };
    const listed = await runCli(["approvals", "list"], { env });
    expect(listed.stdout).toContain(id);
    expect((await runCli(["approvals", "approve", id], { env })).code).toBe(0);
    await cli.until(/delete_file: approved by a user, elsewhere, meanwhile/);
    await cli.until(/Done: delete notes\/old\.md/);
    expect(existsSync(file(cwd, "old.md"))).toBe(false);
    cli.type("list the files in notes");
    await cli.until(/✓ list_files done/);
  });

  it("is asked again after an edit that the tool's schema refuses, and runs the one that fits", async () => {
    const { cwd, cli } = await asked();
    cli.type('edit {"path": 5}');
    await cli.until(/"?args\.path"?/);
    expect(existsSync(file(cwd, "old.md"))).toBe(true);
    cli.type('edit {"path": "README.md"}');
    await cli.until(/✓ delete_file done/);
    expect(existsSync(file(cwd, "old.md"))).toBe(true);
    expect(existsSync(join(cwd, "workspace/README.md"))).toBe(false);
  });

  it("says what it understands when a line is no answer", async () => {
    const { cwd, cli } = await asked();
    cli.type("hello?");
    await cli.until(/answer it with approve, edit {…}, reject WHY, respond TEXT,\s+later/);
    cli.type("edit nonsense");
    await cli.until(/What stands behind edit is not valid JSON/);
    expect(existsSync(file(cwd, "old.md"))).toBe(true);
  });

  it("can be put off, and comes again with /pending", async () => {
    const { cli, id } = await asked();
    cli.type("later");
    cli.type("list the files");
    await cli.until(/\/pending shows the open questions again/);
    const before = cli.stdout().length;
    cli.type("/pending");
    await cli.until(new RegExp(`[\\s\\S]{${before}}[\\s\\S]*${id}`));
    cli.type("reject");
    await cli.until(/✗ delete_file rejected/);
  });

  it("that was put off and decided elsewhere lets the chat go on by itself", async () => {
    const { cli, id, url } = await asked();
    cli.type("later");
    await runCli(["approvals", "approve", id], { env: { COUNTERSIGN_URL: url } });
    await cli.until(/Done: delete notes\/old\.md/);
  });

  it("ends when its time is up, and the chat goes on", async () => {
    const steps = [
      { tool_calls: [{ id: "c1", name: "remove", args: { path: "a" } }] },
      { content: "Too late." },
    ];
    const cwd = await project({
      "langgraph.json": '{ "graphs": { "agent": "./agent.mjs:agent" } }',
      "agent.mjs": graphWith({ version: 1, review: { timeout: "2s" } }, steps),
    });
    const cli = chat(cwd);
    await threadOf(cli);
    cli.type("remove a");
    await cli.until(/remove: expired, nobody answered in time/);
    await cli.until(/✗ remove expired/);
    await cli.until(/Too late\./);
    expect(cli.stdout()).not.toContain("Try:");
  });

  it("is one of its turn: several are asked one after the other, each with its own outcome", async () => {
    const { cwd, cli } = await asked("delete notes/old.md and delete notes/todo.md");
    await cli.until(/Question 1 of 2/);
    cli.type("approve");
    await cli.until(/Question 2 of 2/);
    cli.type("reject Keep the list.");
    await cli.until(/with the reason: Keep the list\./);
    expect(existsSync(file(cwd, "old.md"))).toBe(false);
    expect(existsSync(file(cwd, "todo.md"))).toBe(true);
  });

  it("shows long arguments in part and, on request, in full", async () => {
    const content = Array.from({ length: 300 }, (_, index) => `word${index}`).join(" ");
    const { cli } = await asked(`write "${content}" to notes/long.md`);
    await cli.until(/… \d+ more lines, shown on request/);
    expect(cli.stdout().split("Question")[1]).not.toContain("word299");
    cli.type("show");
    await cli.until(/Question[\s\S]*Question[\s\S]*word299/);
    cli.type("approve");
    await cli.until(/✓ write_file done/);
  });
});

describe("chat with a server that runs", () => {
  it("uses it, and leaves it running", async () => {
    const cwd = await project();
    const server = startCli(["serve", "--port", "0"], { cwd });
    running.push(server);
    const [, url = ""] = await server.until(/listens on (\S+)/);
    const { code, stdout } = await runCli(["chat"], {
      cwd,
      env: { COUNTERSIGN_URL: url },
      input: "list the files\n",
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`server +${url}\n`));
    expect(stdout).toContain("✓ list_files done");
    expect((await fetch(`${url}/ok`)).ok).toBe(true);
  });

  it("ends with one line and exit code 1 when the server goes away", async () => {
    const cwd = await project();
    const server = startCli(["serve", "--port", "0"], { cwd });
    running.push(server);
    const [, url = ""] = await server.until(/listens on (\S+)/);
    const cli = chat(cwd, [], { COUNTERSIGN_URL: url });
    const thread = await threadOf(cli);
    await server.stop("SIGKILL");
    cli.type("list the files");
    const { code, stdout, stderr } = await cli.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^(No server answers at|The server at) .*COUNTERSIGN_URL.*\n$/);
    expect(stdout).toContain(`--thread ${thread}`);
  });

  it("does not start one for an address that is not this machine's own", async () => {
    const gone = await startStub(() => ({ json: {} }));
    await gone.close();
    const env = { COUNTERSIGN_URL: `${gone.url}/prefix` };
    const { code, stderr } = await runCli(["chat"], { cwd: await project(), env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No server answers at .*COUNTERSIGN_URL is right\.\n$/);
  });
});

describe("chat with something else", () => {
  it("does not take it for a server", async () => {
    const other = await startStub(() => ({ text: "<html>" }));
    const { code, stderr } = await runCli(["chat"], {
      cwd: await project(),
      env: { COUNTERSIGN_URL: other.url },
    });
    await other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Something that is no Countersign server answers at .*COUNTERSIGN_PORT.*\n$/);
  });
});

describe("chat --json", () => {
  it("prints one JSON object a line, and takes the same answers", async () => {
    const cwd = await project();
    const { code, stdout } = await runCli(["chat", "--json"], {
      cwd,
      env: { COUNTERSIGN_PORT: "0" },
      input: `${REQUEST}\napprove\n`,
    });
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string } & Record<string, unknown>);
    const types = lines.map(({ type }) => type);
    expect(types[0]).toBe("chat_started");
    expect(types.at(-1)).toBe("chat_left");
    expect(types).toEqual(expect.arrayContaining(["text", "tool_call_started", "question", "settled"]));
    expect(lines.filter(({ type }) => type === "tool_result")).toHaveLength(2);
    expect(lines.find(({ type }) => type === "question")).toMatchObject({
      approval: { tool: "delete_file", status: "pending" },
    });
    expect(existsSync(file(cwd, "old.md"))).toBe(false);
    expect(readFileSync(file(cwd, "todo.md"), "utf8")).toContain("To do");
  });
});
