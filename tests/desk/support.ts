import { changeCall } from "../../src/desk/index.ts";
import { approvalId, type Approval, type Ledger } from "../../src/ledger/index.ts";
import { asked, AT, idOf, started, type Asked } from "../ledger/events.ts";

/** The moment at which the questions of these tests are asked, in milliseconds. */
export const START = Date.parse(AT);

/** A clock that stands still until it is moved. */
export function handClock(): { now: () => number; move: (ms: number) => void } {
  let now = START;
  return { now: () => now, move: (ms) => (now += ms) };
}

/** Opens a question on a ledger and gives it back as it stands there. */
export async function openQuestion(
  ledger: Ledger,
  {
    name = "1",
    thread_id = "t1",
    requested_by,
    mask,
    ...change
  }: Partial<Asked> & { name?: string; thread_id?: string; requested_by?: string; mask?: string[] } = {},
): Promise<Approval> {
  const call_id = idOf(thread_id, name);
  const approval_id = approvalId(call_id, 1);
  const commands = [
    {
      type: "start" as const,
      data: started({
        tool_call_id: name,
        ...(requested_by !== undefined && { requested_by }),
        ...(mask && { mask }),
      }),
    },
    {
      type: "ask" as const,
      data: asked(approval_id, { tool_call_id: name, interrupt_id: `i_${name}`, ...change }),
    },
  ];
  await changeCall(ledger, { call_id, thread_id, run_id: "r1" }, AT, { commands });
  const approval = await ledger.approval(approval_id);
  if (approval === null) throw new Error("The question was not opened.");
  return approval;
}
