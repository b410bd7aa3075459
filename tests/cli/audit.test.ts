import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { runCli } from "./run-cli.ts";
import { startStub, type Answer, type Seen, type Stub } from "./stub-server.ts";
import { removeProject, tempProject } from "./temp-project.ts";

let stub: Stub | undefined;
afterEach(() => stub?.close());

async function audit(args: string[], answer: (seen: Seen) => Answer) {
  stub = await startStub(answer);
  return runCli(["audit", ...args], { env: { COUNTERSIGN_URL: stub.url } });
}

describe("audit verify", () => {
  it("prints the head when the chain holds", async () => {
    const json = { ok: true, threads: 2, events: 9, head: "abc", broken: [] };
    const { code, stdout } = await audit(["verify", "--head", "old"], () => ({ json }));
    expect(code).toBe(0);
    expect(stdout).toBe("The chain holds.\nevents     9\nthreads    2\nhead       abc\n");
    expect(stub?.seen[0]?.url).toBe("/audit/verify?head=old");
  });

  it("names what is broken and exits with 1", async () => {
    const broken = [{ thread_id: "t1", seq: 4, problem: "The hash does not fit." }];
    const json = { ok: false, threads: 2, events: 9, head: "abc", broken };
    const { code, stdout } = await audit(["verify"], () => ({ json }));
    expect(code).toBe(1);
    expect(stdout).toContain("broken     thread t1, event 4: The hash does not fit.");
    expect((await audit(["verify", "--json"], () => ({ json }))).code).toBe(1);
  });
});

describe("audit verify --store", () => {
  it("checks a store without a server, and makes none", async () => {
    const folder = await tempProject();
    const store = `file:${join(folder, "state.db")}`;
    const verify = (...more: string[]) => runCli(["audit", "verify", "--store", store, ...more]);
    const missing = await verify();
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(/^There is no store at .*state\.db\.\n$/);
    const ledger = await openLedger(store);
    const events = [{ type: "run_started", data: { graph_id: "g", assistant_id: "a", cause: "input" } }];
    const at = new Date(0).toISOString();
    await ledger.append({ at, thread_id: "t1", run_id: "r1", call: null, events: events as never });
    await ledger.close();
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("chain holds") as string,
    });
    expect((await verify("--head", "f".repeat(64))).code).toBe(1);
    await removeProject(folder);
  });
});

describe("audit export", () => {
  it("prints every event of every page, one JSON object a line", async () => {
    const pages: Record<string, unknown> = {
      "0": { events: [{ seq: 1 }, { seq: 2 }], next_after: 2 },
      "2": { events: [{ seq: 3, text: "a\nb" }], next_after: null },
    };
    const { code, stdout } = await audit(["export", "--thread", "t1"], ({ url }) => ({
      json: pages[new URL(url, "http://x").searchParams.get("after") ?? ""],
    }));
    expect(code).toBe(0);
    expect(stdout).toBe('{"seq":1}\n{"seq":2}\n{"seq":3,"text":"a\\nb"}\n');
    expect(stub?.seen.map(({ url }) => url)).toEqual([
      "/audit?thread_id=t1&after=0&limit=1000",
      "/audit?thread_id=t1&after=2&limit=1000",
    ]);
  });

  it("prints nothing for an empty ledger", async () => {
    const { code, stdout } = await audit(["export"], () => ({ json: { events: [], next_after: null } }));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });
});
