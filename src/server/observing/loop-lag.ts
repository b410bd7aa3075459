import { monitorEventLoopDelay } from "node:perf_hooks";

/** How late the process's event loop came to its timers. */
export class LoopLag {
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#delay.enable();
  }

  /** The longest delay since the last look, in seconds. */
  take(): number {
    const { max } = this.#delay;
    this.#delay.reset();
    return max / 1e9;
  }

  close(): void {
    this.#delay.disable();
  }
}
