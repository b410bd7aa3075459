/** What becomes of a call that was put to people before, in the same thread and with the same arguments; as written. */
export interface RepeatInput {
  afterReject?: "reject" | "ask" | undefined;
  afterExpiry?: "reject" | "ask" | undefined;
}

export interface Repeat {
  afterReject: "reject" | "ask";
  afterExpiry: "reject" | "ask";
}

/** Fills in the defaults: a rejection stands, and what nobody answered in time is asked again. */
export function fillRepeat({ afterReject = "reject", afterExpiry = "ask" }: RepeatInput): Repeat {
  return { afterReject, afterExpiry };
}

/** What two blocks say together: what either rejects is rejected. */
export function strictestRepeat(a: RepeatInput, b: RepeatInput): RepeatInput {
  const either = (x: Repeat["afterReject"] | undefined, y: typeof x): typeof x =>
    x === "reject" || y === "reject" ? "reject" : (x ?? y);
  const afterReject = either(a.afterReject, b.afterReject);
  const afterExpiry = either(a.afterExpiry, b.afterExpiry);
  return { ...(afterReject && { afterReject }), ...(afterExpiry && { afterExpiry }) };
}
