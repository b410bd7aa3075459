import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeskError, openDesk } from "../../src/desk/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { at } from "../ledger/events.ts";
import { handClock, openQuestion } from "./support.ts";

type Act =
  | { do: "decide"; which: number; type: "approve" | "reject" | "edit" | "respond" | "nonsense" }
  | { do: "withdraw"; which: number }
  | { do: "shown"; which: number }
  | { do: "wait"; ms: number }
  | { do: "expire" };

const which = fc.integer({ min: 0, max: 2 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constant("decide" as const),
    which,
    type: fc.constantFrom(
      "approve" as const,
      "reject" as const,
      "edit" as const,
      "respond" as const,
      "nonsense" as const,
    ),
  }),
  fc.record({ do: fc.constant("withdraw" as const), which }),
  fc.record({ do: fc.constant("shown" as const), which }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant("expire" as const) }),
);

const DEADLINE = 100;
const STATUS = { approve: "approved", reject: "rejected", edit: "edited", respond: "responded" } as const;
const decisionOf = (type: string): unknown => ({
  type,
  ...(type === "edit" && { args: { path: "b" } }),
  ...(type === "respond" && { message: "m" }),
});

describe("whatever happens in whatever order at the desk", () => {
  it("each question has the outcome that a simple model says, and exactly one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        const ledger = await openLedger("memory:");
        const clock = handClock();
        const desk = openDesk(ledger, { clock: clock.now });
        const open = await Promise.all(
          [0, 1, 2].map((n) =>
            openQuestion(ledger, { name: `q${n}`, expires_at: n === 2 ? null : at(DEADLINE) }),
          ),
        );
        const ids = open.map(({ approval_id }) => approval_id);
        const model = ["pending", "pending", "pending"];
        let now = 0;
        const isOver = (n: number): boolean => n !== 2 && now >= DEADLINE;
        for (const one of acts) {
          switch (one.do) {
            case "wait":
              now += one.ms;
              clock.move(one.ms);
              break;
            case "expire": {
              const due = model.filter((status, n) => status === "pending" && isOver(n)).length;
              expect(await desk.expireDue()).toBe(due);
              for (const n of [0, 1]) if (model[n] === "pending" && isOver(n)) model[n] = "expired";
              break;
            }
            case "shown":
              await desk.shown(ids[one.which] ?? "");
              break;
            case "withdraw":
              await desk.withdraw(ids[one.which] ?? "").catch(expectDeskError);
              if (model[one.which] === "pending") model[one.which] = "cancelled";
              break;
            case "decide": {
              const taken = await desk
                .decide(ids[one.which] ?? "", decisionOf(one.type))
                .then(() => true, expectDeskError);
              const isOpen = model[one.which] === "pending";
              expect(taken).toBe(isOpen && !isOver(one.which) && one.type !== "nonsense");
              if (isOpen && one.type !== "nonsense")
                model[one.which] = isOver(one.which) ? "expired" : STATUS[one.type];
              break;
            }
          }
          const stand = await Promise.all(ids.map((id) => desk.get(id)));
          expect(stand.map(({ status }) => status)).toEqual(model);
        }
        const resolved = (await ledger.events({})).filter(({ type }) => type === "approval_resolved");
        expect(resolved).toHaveLength(model.filter((status) => status !== "pending").length);
        expect((await ledger.verify()).ok).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("one of all that happen at the same moment wins", async () => {
    const types = fc.array(fc.constantFrom("approve", "reject", "edit", "respond", "withdraw", "expire"), {
      minLength: 2,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(types, fc.boolean(), async (all, isLate) => {
        const ledger = await openLedger("memory:");
        const clock = handClock();
        const desk = openDesk(ledger, { clock: clock.now });
        const { approval_id } = await openQuestion(ledger, { expires_at: at(DEADLINE) });
        if (isLate) clock.move(DEADLINE);
        const ends = await Promise.all(
          all.map((type) => {
            if (type === "expire") return desk.expireDue().then((count) => count === 1);
            const done =
              type === "withdraw" ? desk.withdraw(approval_id) : desk.decide(approval_id, decisionOf(type));
            return done.then(() => true, expectDeskError);
          }),
        );
        const resolved = (await ledger.events({})).filter(({ type }) => type === "approval_resolved");
        expect(ends.filter(Boolean).length).toBeLessThanOrEqual(1);
        expect(resolved.length).toBe((await desk.get(approval_id)).status === "pending" ? 0 : 1);
      }),
      { numRuns: 100 },
    );
  });
});

function expectDeskError(error: unknown): false {
  expect(error).toBeInstanceOf(DeskError);
  return false;
}
