import { z } from "zod";
import { isWithin, type Ledger, type Limit } from "../ledger/index.ts";
import { formatDuration, type Verdict } from "../policy/index.ts";
import { askedBefore, askingFor, type Asking } from "./asking.ts";
import { standingFor, type Sought } from "./standing.ts";
import { whoDecides, type Decider } from "./who-decides.ts";

/** What a reviewer would see of a call beside the call itself. */
const QuestionOutlook = z
  .object({
    reason: z.string(),
    description: z.string().nullable(),
    allowed_decisions: z.array(z.string()),
    require_reason: z.array(z.string()),
    timeout: z.string(),
    on_timeout: z.enum(["reject", "escalate", "approve"]),
    escalate: z.array(z.string()).describe("The groups it would go to, one after the other."),
    quorum: z.number().int(),
    by: z
      .array(z.array(z.string()))
      .describe("The groups whose members may decide; empty: everybody who reviews."),
    separate_duties: z.boolean(),
    remember: z
      .object({ scopes: z.array(z.string()), max_ttl: z.string(), max_uses: z.number().int() })
      .nullable(),
    quiet_until: z.string().nullable().describe("Until when nobody would be told of it."),
    automatic: z.array(z.string()).describe("The automatic reviewers that would be asked before."),
  })
  .meta({ id: "QuestionOutlook" });

/** What would become of a call, given all that is remembered and counted now. Nothing is taken by asking. */
export const Outlook = z
  .object({
    will: z
      .enum(["run", "announce", "ask", "reject", "deny", "end"])
      .describe("`reject`: without asking anybody. `end`: it is not run, and the run ends."),
    by: z.object({
      kind: z.enum(["verdict", "mode", "repeat", "grant", "allowance", "budget", "people"]),
      id: z.string().nullable(),
    }),
    why: z.string(),
    question: QuestionOutlook.nullable(),
  })
  .meta({ id: "Outlook" });
export type Outlook = z.infer<typeof Outlook>;

/** A call that is only looked at: as it would be sought, and how its reviewer would be told of it. */
export interface Looked extends Sought {
  description: string | null;
}

/**
 * What the calls of one turn would come to, one after the other: what one would take is gone for those behind it. `run`:
 * as in {@link askingFor}.
 */
export async function outlooksFor(ledger: Ledger, calls: readonly Looked[], run: string): Promise<Outlook[]> {
  const turn = new Turn(ledger);
  const outlooks: Outlook[] = [];
  for (const call of calls) outlooks.push(await outlookFor(ledger, call, { run, turn }));
  return outlooks;
}

async function outlookFor(
  ledger: Ledger,
  call: Looked,
  { run, turn }: { run: string; turn: Turn },
): Promise<Outlook> {
  const { verdict, at, thread_id } = call;
  const who = whoDecides(verdict, await standingFor(ledger, call));
  if (who.kind === "allowance" && (await turn.hasRoom(who.allowed.limits, who.allowed.takes))) {
    turn.take(who.allowed.takes, at);
    return settled("run", who, who.allowed.reason, who.allowed.id);
  }
  if (who.kind !== "people" && who.kind !== "allowance") return settledBy(who, verdict);
  const asker = { thread_id, run };
  const asked = await askedBefore(ledger, verdict, asker, at);
  const asking = askingFor(verdict, asker, at, (limit) => [...asked(limit), ...turn.timesOf(limit)]);
  if (asking.kind === "reject")
    return { will: "reject", by: { kind: "budget", id: asking.rule }, why: asking.reason, question: null };
  turn.take(asking.takes, at);
  const why = who.kind === "allowance" ? `There is no room left: ${who.allowed.reason}` : verdict.why;
  return { will: "ask", by: { kind: "people", id: null }, why, question: questionOf(call, asking) };
}

type Settling = Exclude<Decider, { kind: "people" } | { kind: "allowance" }>;

function settledBy(who: Settling, verdict: Verdict): Outlook {
  const { why } = verdict;
  switch (who.kind) {
    case "denied":
      return settled("deny", { kind: "verdict" }, verdict.reason ?? why);
    case "runs":
      return settled(who.tier === "suggest" ? "announce" : "run", { kind: "verdict" }, why);
    case "mode":
      return settled(
        who.mode === "never" ? "reject" : "end",
        who,
        `${why} The mode is ${who.mode}, so nobody is asked.`,
        who.mode,
      );
    case "repeat": {
      const { approval_id, status } = who.earlier;
      return settled("reject", who, `The same call was ${status} before on this thread.`, approval_id);
    }
    case "grant": {
      const { grant_id, effect, covers } = who.grant;
      const said = `A decision was remembered for ${covers}.`;
      return settled(effect === "approve" ? "run" : "reject", who, said, grant_id);
    }
  }
}

function settled(
  will: Outlook["will"],
  { kind }: { kind: Outlook["by"]["kind"] },
  why: string,
  id: string | null = null,
): Outlook {
  return { will, by: { kind, id }, why, question: null };
}

function questionOf(
  { verdict, description }: Looked,
  asking: Asking & { kind: "ask" },
): NonNullable<Outlook["question"]> {
  const { review, grants } = verdict;
  const { group, quiet_until = null } = asking;
  return {
    reason: verdict.reason ?? verdict.why,
    description,
    allowed_decisions: review.decisions,
    require_reason: review.requireReason,
    timeout: formatDuration(review.timeoutMs),
    on_timeout: review.onTimeout,
    escalate: review.escalate.map((one) => one.group),
    quorum: review.quorum,
    by: group === undefined ? review.by : [[group.group]],
    separate_duties: review.separateDuties,
    remember:
      review.remember && review.quorum === 1
        ? { scopes: grants.scopes, max_ttl: grants.maxTtl, max_uses: grants.maxUses }
        : null,
    quiet_until,
    automatic: verdict.reviewers.map(({ use }) => use),
  };
}

/** What the calls of a turn would take, each before the next one. */
class Turn {
  readonly #ledger: Ledger;
  readonly #taken: { meter: string; subject: string; amount: number; at: string }[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  take(takes: readonly { meter: string; subject: string; amount: number }[], at: string): void {
    this.#taken.push(...takes.map((take) => ({ ...take, at })));
  }

  timesOf(limit: Limit): string[] {
    return this.#of(limit).map(({ at }) => at);
  }

  async hasRoom(
    limits: readonly Limit[],
    takes: readonly { meter: string; subject: string; amount: number }[],
  ): Promise<boolean> {
    for (const limit of limits) {
      const before = await this.#ledger.remembered.taken(limit);
      const wanted = takes.filter((take) => isSame(take, limit));
      const all = [...before, ...this.#of(limit), ...wanted].map(({ amount }) => ({ amount, times: 1 }));
      if (!isWithin(limit.up_to, all)) return false;
    }
    return true;
  }

  #of(limit: Limit) {
    return this.#taken.filter((take) => isSame(take, limit));
  }
}

function isSame(a: { meter: string; subject: string }, b: { meter: string; subject: string }): boolean {
  return a.meter === b.meter && a.subject === b.subject;
}
