const CHECK_MS = 1000;
/** Both clocks are read one after the other, and a clock that is adjusted slowly may lag a little. */
const TOLERANCE_MS = 5;

export interface ClockCorrection {
  /** When the clock was set back, by the corrected clock; at most a second too early. */
  since: number;
  now: number;
}

/** Notices that the clock of this machine was set back. */
export class ClockWatch {
  readonly #record: (correction: ClockCorrection) => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #last = readClocks();
  /** Not recorded yet. While no process ran, nobody could notice. */
  #since: number | undefined = this.#last.wall;

  /** @param record may fail, and is called again then */
  constructor(record: (correction: ClockCorrection) => Promise<void>) {
    this.#record = record;
    this.#timer = setInterval(() => void this.check().catch(() => {}), CHECK_MS).unref();
  }

  /** Resolves when everything that this process can know of the clock is recorded. */
  async check(): Promise<void> {
    const last = this.#last;
    const { wall, monotonic } = readClocks();
    this.#last = { wall, monotonic };
    const expected = last.wall + monotonic - last.monotonic;
    // It happened at any time since the last check.
    if (wall < expected - TOLERANCE_MS) this.#since = Math.floor(wall - (monotonic - last.monotonic));
    if (this.#since === undefined) return;
    const since = this.#since;
    await this.#record({ since, now: wall });
    if (this.#since === since) this.#since = undefined;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const readClocks = () => ({ wall: Date.now(), monotonic: performance.now() });
