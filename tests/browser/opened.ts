import { bench, Effects, type Bench } from "../server/bench.ts";
import { startBrowser, type Over, type Screen } from "./browser.ts";
import { servePage } from "./serve-page.ts";

interface Options {
  effects?: Effects;
  over?: Over;
}

/** The page in a browser, and the server behind it. */
export interface Opened {
  server: Bench;
  effects: Effects;
  screen: Screen;
}

type Script = Parameters<typeof bench>[0];

/** Opens the page in front of a server that allows its origin, in the tests of one file. */
export function pages() {
  const origins = servePage();
  const open = startBrowser();

  async function opened(script: Script, { effects = new Effects(), over }: Options = {}): Promise<Opened> {
    const server = await bench(script, { allowOrigins: [origins.allowed], effects });
    return { server, effects, screen: await open(origins.allowed, server, over) };
  }

  /** The same, after "Delete a" has led to a question. */
  async function paused(script: Script, options?: Options): Promise<Opened> {
    const page = await opened(script, options);
    await page.screen.send("Delete a");
    await page.screen.question().first().waitFor();
    await page.screen.idle();
    return page;
  }

  return { origins, open, opened, paused };
}

/** Something to wait for, and what lets it happen. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
