import { afterEach, expect, it, vi } from "vitest";
import { remove } from "../server/bench.ts";
import { people } from "../server/identity-bench.ts";
import { startCli, type RunningCli } from "./run-cli.ts";

vi.setConfig({ testTimeout: 60_000 });

const running: RunningCli[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((cli) => cli.stop("SIGKILL")));
});

it("a chat with one of two who must approve counts their vote, waits for the other, and goes on then", async () => {
  const roles = { ann: ["requester" as const, "reviewer" as const], bob: ["reviewer" as const] };
  const policy = {
    version: 1 as const,
    groups: { team: ["ann", "bob"] },
    review: { quorum: 2, by: ["team"] },
  };
  const { url, ann, bob, effects } = await people([remove("a"), { content: "It is gone." }], roles, {
    policy,
  });
  const cli = startCli(["chat"], { env: { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: ann.token } });
  running.push(cli);
  await cli.until(/thread +\S+/);
  cli.type("delete it");
  await cli.until(/votes +0 of 2 approved/);
  const [, id] = await cli.until(/id +(apr_[0-9a-f]{32})/);
  cli.type("approve");
  await cli.until(/delete_file: 1 of 2 approved\. It waits for others now\./);
  expect(effects.begun).toBe(0);
  await bob.post(`/approvals/${id}/decision`, { type: "approve" });
  await cli.until(/It is gone\./);
  expect(effects.deleted).toEqual(["a"]);
});
