import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './test-server.ts';

/** Runs before the server, in each of its threads: its wall clock is off by what the file says. */
const preload = (file: string) => `
  import { readFileSync } from 'node:fs';
  const RealDate = Date;
  const now = () => RealDate.now() + Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [now()] : args));
    }
    static now() {
      return now();
    }
  };
`;

/** A wall clock for a server process that a test can set, as an administrator or NTP would. */
export class AdjustableClock {
  readonly #file = join(temporaryDirectory(), 'clock-offset');

  constructor() {
    this.set(0);
  }

  /** Moves the clock this far away from the real time, at once. */
  set(offsetMs: number): void {
    writeFileSync(this.#file, String(offsetMs));
  }

  /** For `StartOptions`. */
  readonly wrap = ([node = '', ...args]: string[]): string[] => [
    node,
    '--import',
    `data:text/javascript,${encodeURIComponent(preload(this.#file))}`,
    ...args,
  ];
}
