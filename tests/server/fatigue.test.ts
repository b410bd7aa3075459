import { expect, it } from "vitest";
import { bench, remove } from "./bench.ts";

it("tells how the reviewers fare, and says what of the question cannot be read", async () => {
  const one = await bench([remove("a"), { content: "1" }]);
  await one.begin();
  const [approval] = await one.pending();
  await one.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
  expect(await one.get("/fatigue?last=1h")).toMatchObject({
    status: 200,
    body: {
      is_whole: true,
      load: { asks: 1, last_120_minutes: 1, hours_over_6: 0 },
      ...{ approved: 1, outcomes: { approved: 1 }, per_run: { median: 1, most: 1 } },
      causes: [{ tool: "delete_file", asks: 1, share: 1 }],
      reviewers: [{ reviewer: null, decisions: 1, signs: [] }],
    },
  });
  for (const last of ["soon", "0s", "9999d"])
    expect(await one.get(`/fatigue?last=${last}`), last).toMatchObject({
      status: 422,
      body: {
        code: "invalid_request",
        detail: expect.stringMatching(/like "12h" or "30d"|longer than 3650d/) as string,
      },
    });
});
