import type { Database } from "../../ledger/sql/index.ts";
import { readPublicUrl } from "../public-url.ts";
import type { RunPorts } from "../runs/run-ports.ts";
import { reachable, type MayReach } from "../webhooks/allowed-hosts.ts";
import { Courier } from "../webhooks/courier.ts";
import { Outbox } from "../webhooks/outbox.ts";
import { WEBHOOK_DELIVERY, Webhooks } from "../webhooks/webhooks.ts";
import { KeptNotices } from "./kept-notices.ts";
import { readNotices, type NoticeOptions, type NoticeTarget } from "./notice-target.ts";
import { noticeDelivery, Notices } from "./notices.ts";

/** What somebody is told over HTTP, and where it may go. */
export interface TellingSettings {
  mayReach: MayReach;
  targets: readonly NoticeTarget[];
  /** Where people reach the server, where that is not where it listens. */
  publicUrl: string | undefined;
}

/** @throws {StartError} `bad_notice`, `bad_public_url` */
export function readTelling(options: {
  allowWebhookHosts?: readonly string[];
  notices?: readonly NoticeOptions[];
  publicUrl?: string;
}): TellingSettings {
  const { allowWebhookHosts = [], notices = [], publicUrl } = options;
  const mayReach = reachable(allowWebhookHosts);
  return {
    mayReach,
    targets: readNotices(notices, mayReach),
    publicUrl: publicUrl === undefined ? undefined : readPublicUrl(publicUrl),
  };
}

/** Tells clients of the ends of their runs and the owner of approvals, from one outbox. */
export class Telling {
  readonly webhooks: Webhooks;
  readonly #notices: Notices;
  readonly #courier: Courier;
  readonly #publicUrl: string | undefined;

  constructor(ports: RunPorts, database: Database, { mayReach, targets, publicUrl }: TellingSettings) {
    const { ledger, desk, clock } = ports;
    const onError = (error: unknown): void => ports.onError(error);
    const outbox = new Outbox(database);
    const courier = new Courier({
      ...{ outbox, mayReach, onError, ofClients: WEBHOOK_DELIVERY },
      targets: new Map(targets.map((one) => [one.target, noticeDelivery(one)])),
    });
    const kept = new KeptNotices(database, outbox);
    this.webhooks = new Webhooks(ports, { outbox, courier });
    this.#notices = new Notices({ targets, kept, courier, ledger, desk, clock, onError });
    this.#courier = courier;
    this.#publicUrl = publicUrl;
  }

  /** What happens from now on is told, once it has started. */
  open(): Promise<void> {
    return this.#notices.open();
  }

  /** Begins to tell, also what an earlier process left. `url`: where the server listens. */
  async start(url: string): Promise<void> {
    await this.webhooks.takeUp();
    await this.#courier.start();
    this.#notices.start(this.#publicUrl ?? url);
  }

  /** Leaves what is not told yet to the next start. */
  async stop(): Promise<void> {
    await this.#notices.stop();
    await this.#courier.stop();
  }
}
