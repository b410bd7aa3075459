import { bench, Effects, listOf, type Bench } from "../server/bench.ts";
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

/** How the runs of the page's thread stand, newest first. */
export async function statuses({ server, screen }: Opened): Promise<unknown[]> {
  const { body } = await server.get(`/threads/${screen.threadId()}/runs`);
  return listOf(body).map(({ status }) => status);
}

/** A model that thinks over its first answer until it is let, and then gives the same one again. */
export function slowModel(content: string) {
  const { opened, open } = gate();
  const model = { asked: 0, answer: open };
  const step = async () => {
    model.asked += 1;
    if (model.asked === 1) await opened;
    return { content };
  };
  return { model, step };
}

/** Deletions that have begun and end when they are let. */
export function slowTool() {
  const { opened, open } = gate();
  const effects = new Effects();
  effects.gate = opened;
  return { effects, finish: open };
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
