import { isMemberName, MASKED, maskArgs, secretsIn, type Secrets } from "../../policy/index.ts";
import { isCount, isKnownWord } from "./known-words.ts";

/** What is hidden in what a thread shows. */
export interface Veil {
  masks: readonly string[];
  secrets: Secrets;
}

type Json = Record<string, unknown>;

/** Where the arguments of a call stand, in whichever form: as an object, or as its JSON. */
const ARGS = new Set(["args", "arguments", "input", "partial_json"]);

const QUESTIONS = new Set<unknown>(["approval_request", "approval_requested"]);

/**
 * JSON as people may see it: the arguments of calls, wherever they stand, with the mask in the place of what it hides,
 * and the mask in the place of each secret in any other text, key or number. In arguments only paths count, so that what
 * a person reads, edits and sends back is the call.
 */
export function maskPayload(json: unknown, veil: Veil): unknown {
  return show(json, veil, true);
}

/** Takes the secrets out of the calls in some JSON, for texts that stand before and behind them. */
export function learnFrom(json: unknown, { masks, secrets }: Veil): void {
  if (masks.length === 0 || typeof json !== "object" || json === null) return;
  if (Array.isArray(json)) {
    for (const one of json as unknown[]) learnFrom(one, { masks, secrets });
    return;
  }
  for (const [key, value] of Object.entries(json as Json)) {
    const args = ARGS.has(key) && typeof value === "string" ? parsed(value) : value;
    if (ARGS.has(key) && isObject(args)) secrets.add(secretsIn(masks, args));
    if (typeof value === "object") learnFrom(value, { masks, secrets });
  }
}

function show(json: unknown, veil: Veil, isText: boolean): unknown {
  if (typeof json === "string") return isText ? veil.secrets.hide(json) : json;
  if (typeof json === "number") return isText && veil.secrets.has(String(json)) ? MASKED : json;
  if (Array.isArray(json)) return json.map((one) => show(one, veil, isText));
  if (!isObject(json)) return json;
  const isProse = isText && !isOwnQuestion(json, veil);
  const entries = Object.entries(json).map(([key, value]): [string, unknown] => [
    key,
    ARGS.has(key) ? showArgs(key, value, json, veil, isProse) : showMember(key, value, veil, isProse),
  ]);
  return Object.fromEntries(isProse && !veil.secrets.isEmpty ? hideKeys(entries, veil) : entries);
}

/** Keys that are the same once they are hidden are numbered, so that each member is still there. */
function hideKeys(entries: readonly [string, unknown][], { secrets }: Veil): [string, unknown][] {
  const taken = new Set(entries.map(([key]) => key));
  return entries.map(([key, value]) => {
    const hidden = isMemberName(key) ? key : secrets.hide(key);
    if (hidden === key) return [key, value];
    let shown = hidden;
    for (let count = 2; taken.has(shown); count += 1) shown = `${hidden} ${count}`;
    taken.add(shown);
    return [shown, value];
  });
}

/**
 * Whether it is a question of ours that was asked under these masks: the words in it are made of what is shown, and to
 * look for secrets in them would let a call blank them by what it hides.
 */
function isOwnQuestion(json: Json, { masks }: Veil): boolean {
  if (!QUESTIONS.has(json["type"])) return false;
  const action = json["action_request"];
  const args = json["args"] ?? (isObject(action) ? action["args"] : undefined);
  return secretsIn(masks, args).length === 0;
}

function showMember(key: string, value: unknown, veil: Veil, isText: boolean): unknown {
  const isForm =
    typeof value === "string" ? isKnownWord(key, value) : typeof value === "number" && isCount(key);
  return show(value, veil, isText && !isForm);
}

function showArgs(key: string, value: unknown, holder: Json, veil: Veil, isText: boolean): unknown {
  const { masks } = veil;
  const isCall = key !== "input" || isOfTool(holder);
  if (typeof value === "string") {
    const args = parsed(value);
    if (isObject(args)) return JSON.stringify(show(maskArgs(masks, args), veil, isText && !isCall));
    // A piece of arguments on their way: nobody knows yet what will stand there.
    if (isCall && value !== "" && masks.length > 0) return MASKED;
    return show(value, veil, isText);
  }
  // Arguments may hold calls again, as those of an edge that hands one on.
  return show(isObject(value) ? maskArgs(masks, value) : value, veil, isText && !isCall);
}

/** Whether an `input` is what a tool is called with, and not what somebody says to a graph. */
function isOfTool({ type, event, name }: Json): boolean {
  const kind = [type, event].find((one) => typeof one === "string") ?? "";
  return /tool|json_delta|function/i.test(kind) && (type !== undefined || name !== undefined);
}

function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
