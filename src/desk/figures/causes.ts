import type { z } from "zod";
import { isByPerson } from "./by-person.ts";
import type { Asked } from "./asked.ts";
import type { Cause } from "./figures.ts";
import { groupBy, round, shareOf } from "./statistics.ts";

const MOST_CAUSES = 50;
/** So many approvals and nothing else say that a question may not be needed. */
const ENOUGH = 20;

/** What asked, the largest cause first. */
export function causesOf(asked: readonly Asked[]): z.infer<typeof Cause>[] {
  const groups = [...groupBy(asked, ({ tool, rules }) => JSON.stringify([tool, rules])).values()];
  return groups
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_CAUSES)
    .map((group) => causeOf(group, asked.length));
}

function causeOf(group: Asked[], all: number): z.infer<typeof Cause> {
  const { tool = "", rules = [] } = group[0] ?? {};
  const decided = group.filter(isByPerson);
  const approved = decided.filter(({ status }) => status === "approved").length;
  const changed = decided.filter(({ status }) => status === "edited" || status === "rejected").length;
  return {
    ...{ tool, rules },
    asks: group.length,
    share: round(group.length / all),
    approved: shareOf(approved, decided.length),
    changed,
    repeated: repeatedIn(group),
    hint:
      decided.length >= ENOUGH && approved === decided.length
        ? `All of ${approved} questions were approved: a rule for what they have in common may do. Nothing is changed by itself.`
        : null,
  };
}

/** How many questions have the shape of one before them. */
export function repeatedIn(asked: readonly Asked[]): number {
  return asked.length - new Set(asked.map(({ shape }) => shape)).size;
}
