import { sha256 } from "../../ledger/index.ts";
import { StartError } from "../start-error.ts";
import { faultOf, type MayReach } from "../webhooks/allowed-hosts.ts";
import { readSecret } from "./sign.ts";

/** What of an approval can be told. With `asked` goes the digest of those that were asked quietly. */
export const NOTICE_EVENTS = ["asked", "warned", "escalated", "resolved"] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** Where the owner of a server wants to be told of approvals. */
export interface NoticeOptions {
  url: string;
  /** What notices are signed with, as Standard Webhooks do: `whsec_…` or any text. Default: they are not signed. */
  secret?: string | undefined;
  /** What is told. Default: everything. */
  events?: readonly NoticeEvent[] | undefined;
}

/** A target that was looked at. */
export interface NoticeTarget {
  /** The name that it has in the store; follows from its address. */
  target: string;
  url: string;
  /** The key that its notices are signed with; `null`: they are not. */
  key: Buffer | null;
  events: ReadonlySet<NoticeEvent>;
}

/**
 * Reads where approvals are told.
 *
 * @throws {StartError} `bad_notice` for an address that cannot be meant or may not be reached, or a secret that is none.
 */
export function readNotices(options: readonly NoticeOptions[], mayReach: MayReach): NoticeTarget[] {
  const targets = options.map((one) => readOne(one, mayReach));
  const twice = targets.find(
    ({ target }, index) => targets.findIndex((one) => one.target === target) < index,
  );
  if (twice) throw bad(twice.url, "stands there twice");
  return targets;
}

const FAULTS = {
  has_user: "may hold no user name and no password: sign with a secret",
  not_public: "is not on the public internet: allow its host with --allow-webhook-host (allowWebhookHosts)",
};

function readOne({ url, secret, events = NOTICE_EVENTS }: NoticeOptions, mayReach: MayReach): NoticeTarget {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol)) {
    const message = "A target of notices is no address of the web: give one like https://example.com/hook.";
    throw new StartError("bad_notice", message);
  }
  const fault = faultOf(address, mayReach);
  if (fault !== null) throw bad(url, FAULTS[fault]);
  const stray = events.find((one) => !NOTICE_EVENTS.includes(one));
  if (stray !== undefined || events.length === 0)
    throw bad(url, `is to be told of "${stray ?? ""}": give some of ${NOTICE_EVENTS.join(", ")}`);
  const key = secret === undefined ? null : readSecret(secret);
  if (key?.length === 0) throw bad(url, "has a secret that is none: whsec_ and base64, or any text");
  return { target: sha256(address.href).slice(0, 32), url: address.href, key, events: new Set(events) };
}

/** Where an address leads, for people to read: what stands behind its host may be a secret. */
export function placeOf(url: string): string {
  return new URL(url).origin;
}

function bad(url: string, why: string): StartError {
  return new StartError("bad_notice", `The target of notices at ${placeOf(url)} ${why}.`);
}
