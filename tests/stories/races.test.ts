import { beforeAll, describe, expect, it } from "vitest";
import { startClient, type Client } from "./clients.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";

const ROUNDS = Number(process.env["STORY_RACES"] ?? 100);
const RESUMES = Math.ceil(ROUNDS / 10);

const { start, effects } = story([calls(["delete", "$text"]), says("done")]);
const done = (text: string): number => effects().filter((line) => line === `delete ${text}`).length;
let servers: [Server, Server];
let clients: [Client, Client];
beforeAll(async () => {
  servers = await Promise.all([start(), start()]);
  clients = [startClient(), startClient()];
});

const approve = { type: "approve" };
const reject = { type: "reject", message: "no" };

describe("two clients of two servers on one file", () => {
  it(
    `approve and reject at once, ${ROUNDS} times: what stands is done, and the loser is told of it`,
    { timeout: 60_000 + ROUNDS * 1_500 },
    async () => {
      const stood = { approved: 0, rejected: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        const text = `round-${round}`;
        const [home, other] = round % 2 === 0 ? servers : [servers[1], servers[0]];
        const thread_id = await home.begin(text);
        const { approval_id } = await home.pending(thread_id);
        const path = `/approvals/${approval_id}/decision?wait=40`;
        // Whoever is asked first has it a little easier.
        const ask = [
          () => clients[0].post(`${home.url}${path}`, approve),
          () => clients[1].post(`${other.url}${path}`, reject),
        ];
        const order = round % 4 < 2 ? [0, 1] : [1, 0];
        const answers = await Promise.all(order.map((at) => ask[at]!()));
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
        const [standing] = await other.approvals({ thread_id, status: "all" });
        const { status } = standing!;
        expect(["approved", "rejected"]).toContain(status);
        stood[status as keyof typeof stood] += 1;
        for (const { body } of answers) expect(body).toMatchObject({ approval: { approval_id, status } });
        const lost = answers.find((answer) => answer.status === 409);
        expect(lost?.body).toMatchObject({ code: "already_decided" });
        await home.untilStatus(thread_id, "idle");
        expect(done(text)).toBe(status === "approved" ? 1 : 0);
      }
      expect(stood.approved + stood.rejected).toBe(ROUNDS);
      expect((await servers[0].get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
      expect(servers.map((server) => server.stderr())).toEqual(["", ""]);
    },
  );

  it(
    `resume one interrupt at once through the LangGraph API: it runs once`,
    { timeout: 120_000 },
    async () => {
      for (let round = 0; round < RESUMES; round += 1) {
        const text = `resume-${round}`;
        const thread_id = await servers[0].begin(text);
        const { approval_id, interrupt_id } = await servers[0].pending(thread_id);
        const resume = { [round % 2 === 0 ? approval_id : (interrupt_id ?? "")]: approve };
        const body = { assistant_id: "agent", command: { resume } };
        const answers = await Promise.all(
          servers.map((server, n) => clients[n]!.post(`${server.url}/threads/${thread_id}/runs/wait`, body)),
        );
        expect(answers.some(({ status }) => status === 200)).toBe(true);
        for (const { status } of answers) expect([200, 404, 409]).toContain(status);
        await servers[1].untilStatus(thread_id, "idle");
        expect(done(text)).toBe(1);
        expect(await servers[1].messages(thread_id)).toHaveLength(4);
      }
    },
  );
});
