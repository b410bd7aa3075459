import { afterAll, expect, it } from "vitest";
import { runCli, widest } from "./run-cli.ts";
import { startStub } from "./stub-server.ts";
import { openDesk } from "../../src/desk/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { handClock, openQuestion } from "../desk/support.ts";

const ledger = await openLedger("memory:");
const clock = handClock();
const desk = openDesk(ledger, { clock: clock.now });
for (let index = 0; index < 40; index += 1) {
  const { approval_id } = await openQuestion(ledger, { name: `c${index}` });
  await desk.shown(approval_id);
  await desk.decide(approval_id, { type: "approve" }, { by: { kind: "user", id: "u_1" } });
}
const figures = await desk.fatigue();
const stub = await startStub(() => ({ json: figures }));
afterAll(() => stub.close());
const run = (...args: string[]) => runCli(["fatigue", ...args], { env: { COUNTERSIGN_URL: stub.url } });

it("tells on one page how the reviewers fare", async () => {
  const { code, stdout } = await run("--last", "30d");
  expect(stub.seen.at(-1)?.url).toBe("/fatigue?last=30d");
  expect(code).toBe(0);
  expect(stdout).toContain("asked      40 times in the last 30d");
  expect(stdout).toContain("approved   100 % of what people decided");
  expect(stdout).toMatch(/All of 40 questions were\s+approved/);
  expect(stdout).toMatch(/u_1 +40 +100 % +40 +100 % of the decisions are approvals/);
  expect(widest(stdout)).toBeLessThanOrEqual(80);
});

it("gives programs the figures as they are", async () => {
  const { stdout } = await run("--json");
  expect(JSON.parse(stdout)).toEqual(figures);
});

it("says of one that it is one", async () => {
  const { load, saved } = figures;
  const single = { ...figures, load: { ...load, asks: 1, hours_over_6: 1 }, saved: { ...saved, total: 1 } };
  const one = await startStub(() => ({ json: single }));
  const { stdout } = await runCli(["fatigue"], { env: { COUNTERSIGN_URL: one.url } }).finally(one.close);
  expect(stdout).toMatch(/asked +1 time in the last/);
  expect(stdout).toMatch(/busy +1 hour over 6/);
  expect(stdout).toMatch(/saved +1 question\b/);
});
