import { isoTime, type Desk } from "../../desk/index.ts";
import type { Ledger, LedgerEvent } from "../../ledger/index.ts";
import type { Courier, Delivery } from "../webhooks/courier.ts";
import type { Message } from "../webhooks/outbox.ts";
import { compose, composeDigest, isTold, type Composing } from "./compose.ts";
import type { KeptNotices, Quiet } from "./kept-notices.ts";
import { placeOf, type NoticeTarget } from "./notice-target.ts";
import { signatureOf } from "./sign.ts";

const MINUTE = 60_000;

/** How often it is looked for what other processes wrote, and for what was put off, in milliseconds. */
const LOOK_MS = 1_000;
const PAGE = 500;
/** How many events without anything to tell are passed before that is written down. */
const UNWRITTEN = 5_000;
/** What happened before is not told any more, as to a target that nobody had for a while; in milliseconds. */
const OLDEST_MS = 7 * 24 * 60 * MINUTE;

/** How notices to a target are sent. */
export function noticeDelivery({ key }: NoticeTarget): Delivery {
  return {
    pauses: [1_000, 5_000, 25_000, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE],
    headers: (message, now) => signatureOf(key, message, now),
    words: ({ message_id, url }) => `Notice ${message_id} to ${placeOf(url)}`,
  };
}

export interface NoticeParts {
  targets: readonly NoticeTarget[];
  kept: KeptNotices;
  courier: Pick<Courier, "wake">;
  ledger: Ledger;
  /** Gives approvals as people see them. */
  desk: Pick<Desk, "get">;
  clock: () => number;
  onError: (error: unknown) => void;
}

/**
 * Tells the owner's targets of approvals. It follows the ledger by `seq`, whoever wrote there, and puts what is to be
 * told into the outbox together with how far it came: so nothing is left out and nothing put there twice, however a
 * process ends and however many there are. Nothing waits for it.
 */
export class Notices {
  readonly #parts: NoticeParts;
  /** How far this process has read for a target, where there was nothing to tell behind what is written. */
  readonly #seen = new Map<string, number>();
  #base = "";
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #isMore = false;
  #isStopped = true;
  #unsubscribe: () => void = () => undefined;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
  }

  /** From now on what happens is to be told, once `start` says where people reach the server. */
  async open(): Promise<void> {
    const { targets, kept, ledger } = this.#parts;
    if (targets.length === 0) return;
    const { seq } = await ledger.head();
    for (const { target } of targets) await kept.begin(target, seq);
  }

  /** @param base where people reach the server. */
  start(base: string): void {
    const { targets, ledger } = this.#parts;
    if (targets.length === 0) return;
    this.#base = base.replace(/\/+$/, "");
    this.#isStopped = false;
    this.#unsubscribe = ledger.subscribe((events) => {
      if (events.some(isTold)) this.#lookSoon();
    });
    this.#lookSoon();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookSoon(): void {
    if (this.#isStopped) return;
    this.#isMore = true;
    if (this.#looking !== null) return;
    clearTimeout(this.#timer);
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
      if (this.#isStopped) return;
      this.#timer = setTimeout(() => this.#lookSoon(), LOOK_MS).unref();
    });
  }

  async #look(): Promise<void> {
    while (this.#isMore && !this.#isStopped) {
      this.#isMore = false;
      for (const target of this.#parts.targets) {
        // Whatever went wrong with one, it is tried again, and the others are told.
        await this.#follow(target).catch((error: unknown) => this.#fail(error));
        await this.#tellQuiet(target).catch((error: unknown) => this.#fail(error));
      }
    }
  }

  #fail(error: unknown): void {
    if (!this.#isStopped) this.#parts.onError(error);
  }

  async #follow(target: NoticeTarget): Promise<void> {
    const { ledger, kept, courier } = this.#parts;
    const name = target.target;
    while (!this.#isStopped) {
      const seen = this.#seen.get(name) ?? 0;
      const { seq: newest } = await ledger.head();
      if (newest <= seen) return;
      const from = await kept.cursor(name);
      const events = await ledger.events({ after: Math.max(from, seen), limit: PAGE });
      const to = events.at(-1)?.seq;
      if (to === undefined) {
        // What is there was erased, or another process has told it.
        this.#seen.set(name, newest);
        return;
      }
      const { messages, quiet } = await this.#compose(target, events);
      const isSomething = messages.length + quiet.length > 0;
      // When another process was quicker, what it left is read anew.
      if (isSomething || to - from > UNWRITTEN)
        if (!(await kept.advance(name, { from, to, messages, quiet }))) continue;
      this.#seen.set(name, to);
      if (messages.length > 0) courier.wake();
    }
  }

  async #compose(
    target: NoticeTarget,
    events: readonly LedgerEvent[],
  ): Promise<{ messages: Message[]; quiet: Quiet[] }> {
    const messages: Message[] = [];
    const quiet: Quiet[] = [];
    const composing = this.#composing();
    const oldest = new Date(this.#parts.clock() - OLDEST_MS).toISOString();
    for (const event of events) {
      if (event.at < oldest) continue;
      const told = await compose(target, event, composing);
      if (told === null) continue;
      if ("message" in told) messages.push(told.message);
      else quiet.push(told.quiet);
    }
    return { messages, quiet };
  }

  async #tellQuiet(target: NoticeTarget): Promise<void> {
    const { kept, courier } = this.#parts;
    const composing = this.#composing();
    const quiet = await kept.quietDue(target.target, composing.now);
    if (quiet.length === 0) return;
    const message = await composeDigest(target, quiet, composing);
    if ((await kept.tellQuiet(quiet, message)) && message !== null) courier.wake();
  }

  #composing(): Composing {
    const { desk, onError, clock } = this.#parts;
    return { desk, onError, now: isoTime(clock), base: this.#base };
  }
}
