import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './test-server.ts';

/** Preloaded in every thread of the server: shifts the wall clock by the offset in the file. */
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

/** A wall clock of a server process that a test can set, as NTP would. */
export class AdjustableClock {
  readonly #file = join(temporaryDirectory(), 'clock-offset');

  constructor() {
    this.set(0);
  }

  /** Sets the offset from the real time. */
  set(offsetMs: number): void {
    writeFileSync(this.#file, String(offsetMs));
  }

  /** The `wrap` of `StartOptions`. */
  readonly wrap = ([node = '', ...args]: string[]): string[] => [
    node,
    '--import',
    `data:text/javascript,${encodeURIComponent(preload(this.#file))}`,
    ...args,
  ];
}
