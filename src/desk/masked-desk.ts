import { EventMasker, maskApproval, type Approval, type Ledger, type MasksOf } from "../ledger/index.ts";
import type { Desk, Settled } from "./desk.ts";
import { DeskError } from "./error.ts";

/** The desk as people use it: what policy masks is not in what it gives back, nor in what it throws. */
export function maskedDesk(desk: Desk, ledger: Ledger, masksOf: MasksOf): Desk {
  const events = new EventMasker(ledger, masksOf);
  const show = (approval: Approval): Approval => maskApproval(approval, masksOf(approval.graph_id));
  // Whoever asks for a run can mask with its policy. That is no way to have a call approved that nobody could read.
  const asked = async (approval: Approval, isDecider = false): Promise<Approval> => {
    if (!isDecider || approval.status !== "pending" || approval.mask.length === 0) return show(approval);
    const added = new Set((await ledger.callOf(approval.approval_id))?.mask_added);
    return show({ ...approval, mask: approval.mask.filter((mask) => !added.has(mask)) });
  };
  const settled = (one: Settled): Settled => ({ ...one, approval: show(one.approval) });
  const hiding = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw error instanceof DeskError ? error.showing(show) : error;
    });
  return {
    ...desk,
    async list(query, { isDecider } = {}) {
      const { approvals, ...page } = await desk.list(query);
      return { ...page, approvals: await Promise.all(approvals.map((one) => asked(one, isDecider))) };
    },
    get: async (approval_id, options) =>
      asked(await hiding(desk.get(approval_id, options)), options?.isDecider),
    decide: async (approval_id, decision, options) =>
      settled(await hiding(desk.decide(approval_id, decision, options))),
    decideAll: async (given, options) => (await hiding(desk.decideAll(given, options))).map(settled),
    withdraw: async (approval_id, options) => settled(await hiding(desk.withdraw(approval_id, options))),
    shown: async (approval_id, options) => asked(await hiding(desk.shown(approval_id)), options?.isDecider),
    async audit(query) {
      const page = await desk.audit(query);
      return { ...page, events: await events.show(page.events) };
    },
    async record(query) {
      const page = await desk.record(query);
      return { ...page, events: await events.show(page.events) };
    },
  };
}
