/** A text that may be long, cut at a number of bytes, with a note that says so. */
export function clip(bytes: Uint8Array, limit: number, total: number = bytes.byteLength): string {
  // A stream decoder keeps back a character that the cut went through.
  const text = new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
  return total > limit ? `${text}\n[cut: the first ${limit} of ${total} bytes are shown]` : text;
}

/** Whether bytes look like something other than text: a NUL byte, or not UTF-8. */
export function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8192);
  if (head.includes(0)) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}
