import { describe, expect, it } from "vitest";
import type { LogFields, Logger } from "../../src/wire.ts";
import { bench, remove, textOf as text, until, type Answer } from "./bench.ts";
import { openStream } from "./sse.ts";

interface Line extends LogFields {
  level: string;
  msg: string;
}

const A_NUMBER = expect.any(Number) as number;

/** A logger that keeps what it is told. */
function keeping(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: LogFields, msg: string) =>
    void lines.push({ ...fields, level, msg });
  return {
    lines,
    logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
  };
}

const textOf = ({ body }: Answer): string => text(body);

/** The value of one figure. */
function figure(figures: string, name: string): number {
  const line = figures.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

describe("the log", () => {
  it("tells a whole story by its ids, and nothing that anybody wrote", async () => {
    const { logger, lines } = keeping();
    const server = await bench([remove("secret-path"), { content: "secret-reply" }], { logger });
    const { thread_id } = await server.begin("secret-question");
    const [approval] = await server.pending();
    const { approval_id, run_id } = approval!;
    const decision = { type: "approve", reason: "secret-reason" };
    await server.post(`/approvals/${approval_id}/decision?wait=10`, decision, { "x-api-key": "secret-key" });
    await server.get("/approvals?tool=secret-query");
    expect(lines.filter(({ level }) => level !== "debug")).toMatchObject([
      { level: "info", msg: "server started", url: server.url },
      { msg: "run started", thread_id, run_id, cause: "input" },
      { msg: "approval requested", thread_id, run_id, approval_id, tool: "delete_file" },
      { msg: "run stopped", run_id, status: "interrupted", ms: A_NUMBER },
      {
        msg: "approval resolved",
        approval_id,
        status: "approved",
        decided_by: "user",
        ms: A_NUMBER,
      },
      { msg: "run started", thread_id, cause: "resume" },
      {
        msg: "tool result",
        thread_id,
        tool: "delete_file",
        status: "done",
        ms: A_NUMBER,
      },
      { msg: "run stopped", status: "success" },
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...{ level: "debug", msg: "request", method: "POST", status: 200, approval_id },
        route: "/approvals/:approval_id/decision",
      }),
    );
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("warns of refused requests, by their code", async () => {
    const { logger, lines } = keeping();
    const server = await bench([], { logger });
    await server.get("/approvals", { origin: "https://evil.example" });
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "warn",
        msg: "request refused",
        code: "forbidden_origin",
        status: 403,
      }),
    );
    expect(JSON.stringify(lines)).not.toContain("evil.example");
  });

  it("holds the id of an error that a client was told of", async () => {
    const { logger, lines } = keeping();
    const server = await bench([], { logger });
    await server.server.ledger.close();
    const { status, body } = await server.get("/approvals");
    expect(status).toBe(503);
    const error_id = body["error_id"] as unknown as string;
    expect(error_id).toMatch(/^err_[0-9a-f]{12}$/);
    expect(lines).toContainEqual(expect.objectContaining({ level: "error", error_id }));
  });

  it("disturbs nothing when it cannot be written", async () => {
    const broken = (): never => {
      throw new Error("No room.");
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const server = await bench([remove("a"), { content: "done" }], { logger });
    await server.begin();
    const [approval] = await server.pending();
    const { body } = await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "approve",
    });
    expect(body).toMatchObject({ approval: { execution: { state: "succeeded" } } });
  });

  it("is not told of anything but errors where it takes nothing else", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    await server.begin();
    await server.get("/approvals", { origin: "https://evil.example" });
    expect(server.errors).toEqual([]);
  });
});

describe("the figures", () => {
  it("count what was asked, decided, run and answered", async () => {
    const server = await bench([remove("a", "b"), { content: "done" }]);
    await server.begin();
    const [one, other] = await server.pending();
    const before = textOf(await server.get("/metrics"));
    expect(figure(before, "countersign_approvals_pending")).toBe(2);
    expect(figure(before, 'countersign_approvals_requested_total{tool="delete_file"}')).toBe(2);
    await server.post(`/approvals/${one!.approval_id}/decision?wait=10`, { type: "approve" });
    await server.post(`/approvals/${other!.approval_id}/decision?wait=10`, { type: "reject" });
    const after = textOf(await server.get("/metrics"));
    const expected = {
      'countersign_approvals_resolved_total{status="approved",decided_by="user"}': 1,
      'countersign_approvals_resolved_total{status="rejected",decided_by="user"}': 1,
      'countersign_tool_results_total{outcome="done"}': 1,
      'countersign_tool_results_total{outcome="rejected"}': 1,
      countersign_decision_seconds_count: 2,
      countersign_decision_commit_milliseconds_count: 2,
      countersign_approvals_pending: 0,
      countersign_runs_live: 0,
      countersign_threads_busy: 0,
      countersign_streams_open: 0,
      'countersign_http_requests_total{route="/approvals/:approval_id/decision",method="POST",status="200"}': 2,
    };
    for (const [name, value] of Object.entries(expected))
      expect([name, figure(after, name)]).toEqual([name, value]);
    expect(figure(after, 'countersign_runs_total{status="success"}')).toBeGreaterThanOrEqual(1);
    expect(figure(after, "countersign_event_loop_lag_seconds")).toBeGreaterThanOrEqual(0);
  });

  it("count a stream for as long as it is open", async () => {
    const server = await bench([]);
    const open = async (): Promise<number> =>
      figure(textOf(await server.get("/metrics")), "countersign_streams_open");
    const stream = await openStream(`${server.url}/events`);
    expect(await open()).toBe(1);
    stream.close();
    await until(async () => (await open()) === 0);
  });

  it("name no path, however many are asked for", async () => {
    const server = await bench([]);
    await server.get("/nothing/secret-1");
    await server.get("/threads/secret-2");
    const answer = await server.get("/metrics");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(textOf(answer)).not.toContain("secret");
    expect(textOf(answer)).toContain('route="none",method="GET",status="404"');
  });

  it("of one server are not those of another in the process", async () => {
    const one = await bench([remove("a"), { content: "done" }]);
    const other = await bench([]);
    await one.begin();
    const name = 'countersign_approvals_requested_total{tool="delete_file"}';
    expect(figure(textOf(await one.get("/metrics")), name)).toBe(1);
    expect(textOf(await other.get("/metrics"))).not.toContain("delete_file");
  });

  it("stay readable when the store does not answer", async () => {
    const server = await bench([]);
    await server.server.ledger.close();
    const answer = await server.get("/metrics");
    expect(answer.status).toBe(200);
    expect(figure(textOf(answer), "countersign_approvals_pending")).toBeNaN();
  });
});
