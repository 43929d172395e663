import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, pause } from '../../api-client.ts';
import type { Reporter } from '../../reporter.ts';
import { type Delivery, isExpired } from '../delivery.ts';
import { hasEnded, isNamesake, ownIdentity } from './process-identity.ts';
import { SpoolFile } from './spool-file.ts';
import { parseLine } from './spool-record.ts';

interface SpoolOptions {
  directory: string;
  /** Requests are only sent to the service and property that they were meant for. */
  service: string;
  reporter: Reporter;
  /** Whether the queue has room for a file of this size. */
  canAdopt: (bytes: number) => boolean;
  /** Queues it; resolves to whether it is in the file of this process. */
  adopt: (delivery: Delivery) => Promise<boolean>;
}

/** A file of another process. */
interface Sighting {
  mtimeMs: number;
  /** Since when this process has seen that time, by its own monotonic clock. */
  since: number;
}

const INTERVAL_MS = 10_000;
/** Processes touch their file every 10 seconds. After this long without, any process is taken to be gone. */
const ORPHAN_AGE_MS = 30_000;
/** Max size of all files of a service; beyond that, events are kept in memory only. */
const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 2000;
const ADOPTED_AT_ONCE = 500;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

// Global, because the ES module and CommonJS copies of this package must not take each other's files.
const STATE = Symbol.for('@switchyard/sdk spools');
const shared = globalThis as { [STATE]?: Set<string> };
shared[STATE] ??= new Set();
const spoolsOfThread = shared[STATE];

/**
 * Keeps pending requests on disk. Each client has a file of its own; files of processes that are gone are adopted: by
 * renaming them, so that one process gets them.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #prefix: string;
  readonly #process = ownIdentity();
  readonly #id = randomBytes(8).toString('hex');
  readonly #file: SpoolFile;
  readonly #timer: NodeJS.Timeout;
  /** By the name of the file. */
  #seen = new Map<string, Sighting>();
  #files = 0;
  #isFull = false;
  #isReported = false;
  #isFirstCheck = true;
  #hasLeftovers = false;
  #checking: Promise<void> | undefined;
  #closed = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#prefix = `switchyard-1-${hash(options.service).slice(0, 12)}-`;
    spoolsOfThread.add(this.#id);
    this.#file = new SpoolFile({
      createPath: () => this.#createPath(),
      onError: (error) => this.#report('write to', error),
    });
    this.#timer = setInterval(() => void this.takeOver(), INTERVAL_MS).unref();
    void this.takeOver();
  }

  /** Whether files of processes that are gone are still waiting, because the queue had no room. */
  get hasLeftovers(): boolean {
    return this.#hasLeftovers;
  }

  /** Resolves to whether it is on disk. */
  append(delivery: Delivery): Promise<boolean> {
    return this.#isFull ? Promise.resolve(false) : this.#file.append(delivery);
  }

  /** Whether it is pending and on disk. */
  has(delivery: Delivery): boolean {
    return this.#file.has(delivery);
  }

  remove(delivery: Delivery): void {
    this.#file.remove(delivery);
  }

  /** Resolves when the file says what is pending, so that no other process sends the rest again. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    const closed = Promise.resolve(this.#checking).then(() => this.#file.close());
    await Promise.race([closed, pause(CLOSE_TIMEOUT_MS, true)]);
    spoolsOfThread.delete(this.#id);
  }

  #createPath(): string {
    const { directory } = this.#options;
    return join(directory, `${this.#prefix}${this.#process}-${this.#id}-${++this.#files}.spool`);
  }

  /** Shows that this process is alive, and adopts the files of those that are gone. */
  takeOver(): Promise<void> {
    this.#checking ??= this.#keepAliveAndAdopt()
      .then(() => {
        if (!this.#file.hasFailed) this.#isReported = false;
      })
      .catch((error) => this.#report('read', error))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  async #keepAliveAndAdopt(): Promise<void> {
    await this.#file.keepAlive();
    const seen = new Map<string, Sighting>();
    let bytes = this.#file.size;
    let hasLeftovers = false;
    for (const name of await this.#otherFiles()) {
      const path = join(this.#options.directory, name);
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: -1, mtimeMs: 0 }));
      if (size < 0) continue;
      const known = this.#seen.get(name);
      const since = known?.mtimeMs === mtimeMs ? known.since : performance.now();
      const isOrphan = this.#isOrphan(name, mtimeMs, since);
      if (isOrphan && !this.#closed && this.#options.canAdopt(size)) await this.#adopt(path, name);
      else {
        hasLeftovers ||= isOrphan && !this.#closed;
        seen.set(name, { mtimeMs, since });
        bytes += size;
      }
    }
    this.#seen = seen;
    this.#isFirstCheck = false;
    this.#hasLeftovers = hasLeftovers;
    this.#checkSize(bytes);
  }

  #isOrphan(name: string, mtimeMs: number, unchangedSince: number): boolean {
    const identity = name.slice(this.#prefix.length);
    // Later, it may be another container with this host name.
    const isPredecessor = this.#isFirstCheck && isNamesake(identity);
    return isPredecessor || hasEnded(identity) || isOlderThan(ORPHAN_AGE_MS, mtimeMs, unchangedSince);
  }

  async #otherFiles(): Promise<string[]> {
    const names = await readdir(this.#options.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter(
      (name) =>
        name.startsWith(this.#prefix) &&
        name.endsWith('.spool') &&
        !spoolsOfThread.has(name.split('-').at(-2) ?? ''),
    );
  }

  async #adopt(path: string, name: string): Promise<void> {
    const ownPath = this.#createPath();
    try {
      // First, so that the renamed file does not look like an orphan.
      const now = new Date();
      await utimes(path, now, now);
      await rename(path, ownPath);
    } catch {
      // Another process was faster.
      return;
    }
    const { deliveries, damagedLines } = await readSpoolFile(ownPath);
    if (damagedLines > 0) {
      const message = `Skipped ${damagedLines} damaged lines of the spool file ${name}.`;
      this.#options.reporter.problem({ code: 'spool_damaged', message });
    }
    const current = deliveries.filter((delivery) => !isExpired(delivery));
    if (current.length < deliveries.length) {
      const message = `Dropped ${deliveries.length - current.length} requests of the spool that are older than 23 hours.`;
      this.#options.reporter.problem({ code: 'expired', message });
    }
    let areOnDisk = true;
    for (let i = 0; i < current.length; i += ADOPTED_AT_ONCE) {
      const adopted = await Promise.all(current.slice(i, i + ADOPTED_AT_ONCE).map(this.#options.adopt));
      areOnDisk &&= !adopted.includes(false);
    }
    // Otherwise it is the only copy on disk.
    if (areOnDisk) await unlink(ownPath);
  }

  #checkSize(bytes: number): void {
    const isFull = bytes > MAX_DIRECTORY_BYTES;
    if (isFull && !this.#isFull) {
      const message = `The files in ${this.#options.directory} take more than ${MAX_DIRECTORY_BYTES / 1024 / 1024} MiB; events are kept in memory only.`;
      this.#options.reporter.problem({ code: 'spool_full', message });
    }
    this.#isFull = isFull;
  }

  /** Once per failure, however long it lasts. */
  #report(verb: string, error: unknown): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const message = `Cannot ${verb} the spool directory, so events are kept in memory only: ${messageOf(error)}`;
    this.#options.reporter.problem({ code: 'spool_failed', message });
  }
}

/** By the time of the file, or by this process's own observation: clocks may differ or jump. */
function isOlderThan(ageMs: number, mtimeMs: number, unchangedSince: number): boolean {
  return Date.now() - mtimeMs > ageMs || performance.now() - unchangedSince > ageMs;
}

async function readSpoolFile(path: string): Promise<{ deliveries: Delivery[]; damagedLines: number }> {
  const deliveries = new Map<number, Delivery>();
  let damagedLines = 0;
  const handle = await open(path);
  try {
    for await (const line of handle.readLines()) {
      const record = parseLine(line);
      if (!record) damagedLines += 1;
      else if ('delivery' in record) deliveries.set(record.id, record.delivery);
      else for (const id of record.done) deliveries.delete(id);
    }
  } finally {
    await handle.close().catch(() => {});
  }
  return { deliveries: [...deliveries.values()], damagedLines };
}
