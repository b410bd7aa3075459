/** What becomes of a call that was put to people before, in the same thread and with the same arguments; as written. */
export interface RepeatInput {
  afterReject?: "reject" | "ask" | undefined;
  afterExpiry?: "reject" | "ask" | undefined;
  asksPerRun?: number | undefined;
}

export interface Repeat {
  afterReject: "reject" | "ask";
  afterExpiry: "reject" | "ask";
  /** How many questions one run may ask. */
  asksPerRun: number;
}

/** Fills in the defaults: a rejection stands, what nobody answered in time is asked again, and 30 questions a run. */
export function fillRepeat(input: RepeatInput): Repeat {
  const { afterReject = "reject", afterExpiry = "ask", asksPerRun = 30 } = input;
  return { afterReject, afterExpiry, asksPerRun };
}

/** What two blocks say together: what either rejects is rejected, and the fewer questions. */
export function strictestRepeat(a: RepeatInput, b: RepeatInput): RepeatInput {
  const either = (x: Repeat["afterReject"] | undefined, y: typeof x): typeof x =>
    x === "reject" || y === "reject" ? "reject" : (x ?? y);
  const afterReject = either(a.afterReject, b.afterReject);
  const afterExpiry = either(a.afterExpiry, b.afterExpiry);
  const asks = [a.asksPerRun, b.asksPerRun].flatMap((one) => one ?? []);
  return {
    ...(afterReject && { afterReject }),
    ...(afterExpiry && { afterExpiry }),
    ...(asks.length > 0 && { asksPerRun: Math.min(...asks) }),
  };
}
