import { closeSync, constants, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const DIGITS = 16;

/**
 * How far a database had got, in a file beside it. SQLite ends a damaged write-ahead log at the first bad frame, without
 * an error, so what was committed after that frame would disappear unnoticed. The mark is written after a commit, and so
 * never ahead of the database.
 */
export class CommitMark {
  readonly #file: string;
  #value: number | undefined;
  #descriptor: number | undefined;

  constructor(database: string) {
    this.#file = `${database}-mark`;
    this.#value = read(this.#file);
  }

  /** Undefined if there is none, or if it is damaged. */
  get value(): number | undefined {
    return this.#value;
  }

  /** Survives the end of the process; a power failure only with `sync`. */
  advance(value: number): void {
    if (value > (this.#value ?? -1)) this.set(value);
  }

  /** Also sets it back, if a loss has been accepted. */
  set(value: number): void {
    this.#descriptor ??= openSync(this.#file, constants.O_RDWR | constants.O_CREAT, 0o600);
    writeSync(this.#descriptor, lineOf(value), 0);
    this.#value = value;
  }

  sync(): void {
    if (this.#descriptor !== undefined) fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Always of the same length, so that it is replaced at once. */
function lineOf(value: number): string {
  const digits = String(value).padStart(DIGITS, '0');
  return `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`;
}

function read(file: string): number | undefined {
  try {
    const line = readFileSync(file, 'utf8');
    const value = Number(line.slice(0, DIGITS));
    return lineOf(value) === line ? value : undefined;
  } catch {
    return undefined;
  }
}
