import { readPort } from "../address.ts";
import { EXIT } from "../cli-error.ts";
import type { OutputOptions } from "../print.ts";
import { printError } from "../print.ts";
import { findConfig } from "./find-config.ts";
import { jwtOf, type JwtFlags } from "./jwt-options.ts";
import { openLog } from "./log.ts";
import type { LogFormat, LogLevel } from "./log-settings.ts";
import { startServer, type RunningServer } from "./start-server.ts";
import { STUDIO_ORIGINS, studioLink } from "./studio.ts";

export interface ServeOptions extends OutputOptions, JwtFlags {
  config?: string;
  port: string;
  host: string;
  store: string;
  allowOrigin?: string[];
  allowWebhookHost?: string[];
  notify?: string[];
  publicUrl?: string;
  studio?: boolean;
  logLevel: LogLevel;
  logFormat?: LogFormat;
}

/** `countersign serve`: runs until SIGTERM or SIGINT. The start-up ends with one line that holds the URL. */
export async function serve(options: ServeOptions): Promise<void> {
  const isStudio = options.studio === true;
  const { path, isBundled } = findConfig(options.config);
  const logger = openLog(options.logLevel, options.logFormat);
  const server = await startServer({
    config: path,
    store: options.store,
    host: options.host,
    port: readPort(options.port, "--port"),
    allowWebhookHosts: options.allowWebhookHost ?? [],
    notices: (options.notify ?? []).map((url) => ({ url, secret: noticeSecret() })),
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
    allowOrigins: [...(options.allowOrigin ?? []), ...(isStudio ? STUDIO_ORIGINS : [])],
    jwt: jwtOf(options),
    logger,
  });
  if (options.json === true) {
    const started = {
      url: server.url,
      config: path,
      store: withoutPassword(options.store),
      pid: process.pid,
      ...(isStudio && { studio: studioLink(server.url) }),
    };
    process.stdout.write(`${JSON.stringify(started)}\n`);
  } else {
    process.stdout.write(`config ${path}${isBundled ? " (the bundled agent)" : ""}\n`);
    process.stdout.write(`store  ${withoutPassword(options.store)}\n`);
    if (isStudio) {
      process.stdout.write(`studio ${studioLink(server.url)}\n`);
      process.stdout.write(
        "       Whoever has that page open can see the threads here and decide what waits.\n",
      );
    }
    process.stdout.write(`Countersign listens on ${server.url}\n`);
  }
  stopOnSignal(server, options);
}

/** The first signal stops in order, within ten seconds; the second one at once. */
function stopOnSignal(server: RunningServer, options: OutputOptions): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(EXIT.failed);
    isStopping = true;
    server.stop().then(
      () => process.exit(EXIT.ok),
      (error: unknown) => process.exit(printError(error, options)),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

/** Not on the command line, where everybody on the machine could read it. */
function noticeSecret(): string | undefined {
  return process.env["COUNTERSIGN_NOTIFY_SECRET"] || undefined;
}

function withoutPassword(store: string): string {
  return store.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, "$1:***@");
}
