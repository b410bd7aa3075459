import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeCall, DeskError, isoTime, openDesk, type Desk } from "../../src/desk/index.ts";
import { approvalId, digest, openLedger, type Call, type Ledger } from "../../src/ledger/index.ts";
import { ARGS, asked, at, idOf, type Asked } from "../ledger/events.ts";
import { assertSound } from "./people-oracle.ts";
import { handClock, openQuestion } from "./support.ts";

const PEOPLE = ["ann", "bob", "cid", "dan"];
const TIMEOUT = 60_000;

type Act =
  | { do: "decide"; desk: number; who: string | undefined; type: "approve" | "reject" | "edit" | "respond" }
  | { do: "withdraw"; desk: number }
  | { do: "look"; desk: number }
  | { do: "wait"; ms: number }
  /** What a task of the graph does when it is entered, and what it must not get away with. */
  | { do: "enter" }
  | { do: "claim"; edited: boolean };

const desk = fc.constantFrom(0, 1);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ do: fc.constant("decide" as const), desk },
      who: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...PEOPLE) }, fc.constant(undefined)),
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constant("approve" as const) },
        fc.constantFrom("reject" as const, "edit" as const, "respond" as const),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const), desk }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("look" as const), desk }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: TIMEOUT + 1 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ do: "enter" as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("claim" as const), edited: fc.boolean() }) },
);

const some = fc.subarray(PEOPLE, { minLength: 1 });
const rules = fc.record({
  quorum: fc.integer({ min: 1, max: 3 }),
  reviewers: fc.option(some),
  separate_duties: fc.boolean(),
  on_timeout: fc.constantFrom("reject" as const, "escalate" as const, "approve" as const),
  escalate: fc.array(some, { maxLength: 2 }),
});

const EDITED = { path: "other.md" };
const decisionOf = (type: string): unknown => ({
  type,
  ...(type === "edit" && { args: EDITED }),
  ...(type === "respond" && { message: "m" }),
});

/** A question under rules, two desks on its ledger, and a graph that acts on what is decided. */
class Scene {
  readonly clock = handClock();
  readonly call_id = idOf("t1", "q");
  readonly change: Partial<Asked>;
  readonly ledger: Ledger;
  readonly desks: Desk[];

  constructor(
    ledger: Ledger,
    { reviewers, escalate, ...rest }: typeof rules extends fc.Arbitrary<infer T> ? T : never,
  ) {
    this.ledger = ledger;
    this.desks = [0, 1].map(() => openDesk(ledger, { clock: this.clock.now }));
    this.change = {
      ...rest,
      ...{ timeout_ms: TIMEOUT, expires_at: at(TIMEOUT) },
      ...(reviewers && { reviewers, by: [["group"]] }),
      escalate: escalate.map((members, n) => ({ group: `g${n}`, reviewers: members })),
    };
  }

  async call(): Promise<Call> {
    return (await this.ledger.call(this.call_id)) as Call;
  }

  async do(one: Act): Promise<unknown> {
    const { approval_id = "" } = (await this.call()).approvals.at(-1) ?? {};
    switch (one.do) {
      case "wait":
        return this.clock.move(one.ms);
      case "look":
        return this.desks[one.desk]?.expireDue();
      case "withdraw":
        return this.desks[one.desk]?.withdraw(approval_id).catch(expectDeskError);
      case "decide": {
        const by = { kind: "user" as const, ...(one.who !== undefined && { id: one.who }) };
        return this.desks[one.desk]?.decide(approval_id, decisionOf(one.type), { by }).catch(expectDeskError);
      }
      case "enter":
        return this.#enter();
      case "claim":
        return this.#claim(one.edited ? EDITED : ARGS);
    }
  }

  /** As the gate does: what one person edited where several must approve is asked about anew. */
  async #enter(): Promise<void> {
    const { approvals } = await this.call();
    const last = approvals.at(-1);
    if (last?.status === "approved") await this.#claim(last.args);
    if (last?.status !== "edited") return;
    if (last.quorum === 1) return this.#claim(EDITED);
    const next = approvalId(this.call_id, last.round + 1);
    const expires_at = new Date(this.clock.now() + TIMEOUT).toISOString();
    const data = asked(next, { ...this.change, args: EDITED, round: last.round + 1, expires_at });
    await this.#change(
      { type: "block", approval_id: last.approval_id, error: "needs more", next_approval_id: next },
      { type: "ask", data },
    );
  }

  async #claim(args: Record<string, unknown>): Promise<void> {
    const { approval_id = "" } = (await this.call()).approvals.at(-1) ?? {};
    const authority = { kind: "approval" as const, approval_id };
    await this.#change({
      ...{ type: "claim", tool: "delete_file", args, args_digest: digest(args), authority },
      ...{ owner: "p1", is_safe: false },
    });
  }

  async #change(...commands: Parameters<typeof changeCall>[3]["commands"]): Promise<void> {
    const target = { call_id: this.call_id, thread_id: "t1", run_id: "r1" };
    await changeCall(this.ledger, target, isoTime(this.clock.now), { commands });
  }
}

const scene = async (given: ConstructorParameters<typeof Scene>[1]): Promise<Scene> => {
  const made = new Scene(await openLedger("memory:"), given);
  await openQuestion(made.ledger, { name: "q", requested_by: "ann", ...made.change });
  return made;
};

describe("whoever votes, edits, waits and looks, at whichever desk", () => {
  it("a question has one outcome, which those gave who may, and its call has one effect at most", async () => {
    await fc.assert(
      fc.asyncProperty(rules, fc.array(act, { minLength: 1, maxLength: 30 }), async (given, acts) => {
        const made = await scene(given);
        for (const one of acts) await made.do(one);
        await assertSound(made.ledger, made.call_id, "ann");
      }),
      { numRuns: 400 },
    );
  });

  it("so it is when all of it happens at the same moment", async () => {
    const rounds = fc.array(fc.array(act, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rules, rounds, async (given, groups) => {
        const made = await scene(given);
        for (const group of groups) await Promise.all(group.map((one) => made.do(one)));
        await assertSound(made.ledger, made.call_id, "ann");
      }),
      { numRuns: 300 },
    );
  });

  it("a question ends with its clocks, whatever was done before", async () => {
    await fc.assert(
      fc.asyncProperty(rules, fc.array(act, { maxLength: 10 }), async (given, acts) => {
        const made = await scene(given);
        for (const one of acts) await made.do(one);
        for (let look = 0; look <= given.escalate.length; look += 1) {
          made.clock.move(TIMEOUT);
          await made.desks[look % 2]?.expireDue();
        }
        const { approvals } = await made.call();
        expect(approvals.map(({ status }) => status)).not.toContain("pending");
        await assertSound(made.ledger, made.call_id, "ann");
      }),
      { numRuns: 200 },
    );
  });
});

function expectDeskError(error: unknown): void {
  expect(error).toBeInstanceOf(DeskError);
}
