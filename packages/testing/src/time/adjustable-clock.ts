import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../server/test-server.ts';

/** Settings have the same length, so that one write replaces another, and a reader never sees half of one. */
const LENGTH = 24;

/**
 * Preloaded in every thread of the server: shifts the wall clock by the offset in the file, or stops it at a time (`=`).
 * The file stays open, because the time is read many times per request.
 */
const preload = (file: string) => `
  import { openSync, readSync } from 'node:fs';
  const RealDate = Date;
  const file = openSync(${JSON.stringify(file)}, 'r');
  const buffer = Buffer.alloc(${LENGTH});
  const now = () => {
    readSync(file, buffer, 0, ${LENGTH}, 0);
    const setting = buffer.latin1Slice();
    return setting.startsWith('=') ? Number(setting.slice(1)) : RealDate.now() + Number(setting);
  };
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
  readonly #path = join(temporaryDirectory(), 'clock-offset');

  constructor() {
    closeSync(openSync(this.#path, 'w'));
    this.set(0);
  }

  /** Sets the offset from the real time. */
  set(offsetMs: number): void {
    this.#write(String(offsetMs));
  }

  /** Stops the clock at a time, so that a test knows the time of each request exactly. */
  freeze(at: number): void {
    this.#write(`=${at}`);
  }

  #write(setting: string): void {
    const file = openSync(this.#path, 'r+');
    writeSync(file, setting.padEnd(LENGTH), 0);
    closeSync(file);
  }

  /** The `wrap` of `StartOptions`. */
  readonly wrap = ([node = '', ...args]: string[]): string[] => [
    node,
    '--import',
    `data:text/javascript,${encodeURIComponent(preload(this.#path))}`,
    ...args,
  ];
}
