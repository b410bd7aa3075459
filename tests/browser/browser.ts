import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, inject, onTestFinished, vi } from "vitest";
import type { Bench } from "../server/bench.ts";

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether there is no browser to test with. */
export function isBrowserMissing(): boolean {
  return "missing" in inject("chromium");
}

/** The ways in which the page speaks with the server; `plain`: over runs, with what `useStream` does by default. */
export type Over = "runs" | "plain" | "sse" | "websocket";

/** The page, as a person sees it. */
export interface Screen {
  page: Page;
  /** The questions on a tool, or on a call with these arguments. */
  question: (tool?: string, args?: Record<string, unknown>) => Locator;
  messages: (type: "human" | "ai" | "tool") => Promise<string[]>;
  press: (name: string) => Promise<void>;
  send: (text: string) => Promise<void>;
  /** Waits until the model's words are shown. */
  says: (text: string) => Promise<void>;
  alert: Locator;
  /** Waits until the page shows that nothing runs. */
  idle: () => Promise<void>;
  threadId: () => string;
  /** What went over the wire, as `POST /threads/:id/runs/stream 200`. */
  requests: string[];
}

/** A browser, from the first test of a file to its last, with a profile of its own for each page. */
export function startBrowser() {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  let browser: Browser | undefined;
  beforeAll(async () => {
    const found = inject("chromium");
    if ("missing" in found) return;
    browser = await chromium.launch({ executablePath: found.path, args });
  });
  afterAll(async () => browser?.close());
  return async (origin: string, server: Pick<Bench, "url">, over: Over = "runs"): Promise<Screen> => {
    const context = await browser!.newContext();
    onTestFinished(() => context.close());
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const requests: string[] = [];
    page.on("response", (response) => {
      const { pathname, origin } = new URL(response.url());
      if (origin === server.url)
        requests.push(`${response.request().method()} ${pathname} ${response.status()}`);
    });
    await page.goto(`${origin}/?${new URLSearchParams({ api: server.url, over }).toString()}`);
    return screenOf(page, requests);
  };
}

function screenOf(page: Page, requests: string[]): Screen {
  return {
    page,
    requests,
    question: (tool = "delete_file", args) =>
      page.getByRole("region", { name: `Approve ${tool}${args ? ` ${JSON.stringify(args)}` : ""}` }),
    messages: (type) => page.locator(`li[data-type=${type}] span`).allInnerTexts(),
    press: (name) => page.getByRole("button", { name, exact: true }).click(),
    async send(text) {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    },
    says: (text) => page.locator("li[data-type=ai] span").filter({ hasText: text }).waitFor(),
    alert: page.getByRole("alert"),
    idle: () => page.getByRole("status").filter({ hasText: "idle" }).waitFor(),
    threadId: () => new URL(page.url()).searchParams.get("thread") ?? "",
  };
}
