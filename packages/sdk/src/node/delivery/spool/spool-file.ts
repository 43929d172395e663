import { type FileHandle, mkdir, open, stat, unlink, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Delivery } from '../delivery.ts';
import { doneLine, requestLine } from './spool-record.ts';

interface SpoolFileOptions {
  /** A new path in the spool directory. */
  createPath: () => string;
  /** Called when the file cannot be written. */
  onError: (error: unknown) => void;
}

interface Entry {
  id: number;
  isOnDisk: boolean;
}

/** Resolves to whether the request is on disk. */
type Waiter = (isOnDisk: boolean) => void;

const DONE_DELAY_MS = 1000;
/** A slow disk does not delay requests and callers any longer. */
const MAX_WRITE_MS = 5000;
/** Smaller files are not compacted. */
const MIN_COMPACTION_BYTES = 1024 * 1024;
const LINE_OVERHEAD_BYTES = 300;
const CHUNK_LINES = 500;

/**
 * The file with the pending requests of this process. Requests are appended in groups, with one sync per group. It is
 * replaced by a new file, with what is pending, when it has grown too much, after errors, and when another process has
 * taken it.
 */
export class SpoolFile {
  readonly #options: SpoolFileOptions;
  readonly #pending = new Map<Delivery, Entry>();
  #pendingBytes = 0;
  #lastId = 0;
  /** Not written yet. */
  #lines: { text: string; entry: Entry }[] = [];
  #done: number[] = [];
  #waiters: Waiter[] = [];
  #file: { path: string; handle: FileHandle; inode: number; size: number } | undefined;
  #mustReplace = false;
  #hasFailed = false;
  #doneTimer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: SpoolFileOptions) {
    this.#options = options;
  }

  /** Whether requests are in memory only, because of an error. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get size(): number {
    return this.#file?.size ?? 0;
  }

  /** Resolves to whether it is on disk, as soon as that is known. */
  append(delivery: Delivery): Promise<boolean> {
    const entry = { id: ++this.#lastId, isOnDisk: false };
    this.#pending.set(delivery, entry);
    this.#pendingBytes += delivery.bytes + LINE_OVERHEAD_BYTES;
    if (this.#hasFailed) return Promise.resolve(false);
    this.#lines.push({ text: requestLine(entry.id, delivery), entry });
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_WRITE_MS, false);
      this.#waiters.push((isOnDisk) => {
        clearTimeout(timer);
        resolve(isOnDisk);
      });
      void this.#write();
    });
  }

  /** Whether it is pending and on disk. */
  has(delivery: Delivery): boolean {
    return this.#pending.get(delivery)?.isOnDisk === true;
  }

  /** Not synced: after a crash, the request is sent again with the same idempotency key, and counts once. */
  remove(delivery: Delivery): void {
    const entry = this.#pending.get(delivery);
    if (!entry) return;
    this.#pending.delete(delivery);
    this.#pendingBytes -= delivery.bytes + LINE_OVERHEAD_BYTES;
    if (this.#hasFailed) return;
    this.#done.push(entry.id);
    this.#doneTimer ??= setTimeout(() => void this.#write(), DONE_DELAY_MS).unref();
  }

  /** Writes now what was added and removed: the process may end before the delay is over. */
  async sync(): Promise<void> {
    if (!this.#hasFailed) await this.#write();
  }

  /** Shows other processes that this one is alive, and tries again after errors. Call it regularly. */
  async keepAlive(): Promise<void> {
    await this.#writing;
    const now = new Date();
    if (this.#hasFailed) {
      this.#hasFailed = false;
      this.#mustReplace = true;
    } else if (this.#file) {
      await utimes(this.#file.path, now, now).catch(() => {
        this.#mustReplace = true;
      });
    }
    if (this.#mustReplace) await this.#write();
  }

  /** Leaves what is pending to other processes. */
  async close(): Promise<void> {
    await this.#write();
    clearTimeout(this.#doneTimer);
    const { path, handle } = this.#file ?? {};
    this.#file = undefined;
    await handle?.close().catch(() => {});
    // The epoch: nobody has to wait until it is clear that this process is gone.
    if (path) await (this.#pending.size === 0 ? unlink(path) : utimes(path, 0, 0)).catch(() => {});
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    // What is added in the same tick becomes one group.
    await Promise.resolve();
    while (this.#lines.length > 0 || this.#done.length > 0 || this.#mustReplace) {
      const waiters = this.#waiters.splice(0);
      try {
        if (this.#mustReplace || this.#isMostlyDone()) await this.#replace();
        else await this.#appendLines();
        // Otherwise the lines are in a file that another process may already have read.
        if (waiters.length > 0 && !(await this.#isInPlace())) {
          // The new file also contains what was added in the meantime.
          waiters.push(...this.#waiters.splice(0));
          await this.#replace();
        }
        for (const resolve of waiters) resolve(true);
      } catch (error) {
        this.#fail(error, waiters);
      }
    }
    clearTimeout(this.#doneTimer);
    this.#doneTimer = undefined;
    // Now, and not when the promise settles: what is added in between would not be written.
    this.#writing = undefined;
  }

  async #appendLines(): Promise<void> {
    const file = this.#file;
    if (!file) return this.#replace();
    const requests = this.#lines.splice(0);
    const done = this.#done.splice(0);
    if (requests.length === 0 && this.#pending.size === 0) {
      await file.handle.truncate(0);
      file.size = 0;
      return;
    }
    const bytes = Buffer.from(
      requests.map(({ text }) => text).join('') + (done.length > 0 ? doneLine(done) : ''),
    );
    await file.handle.appendFile(bytes);
    file.size += bytes.length;
    if (requests.length === 0) return;
    await file.handle.datasync();
    for (const { entry } of requests) entry.isOnDisk = true;
  }

  #isMostlyDone(): boolean {
    return this.size > MIN_COMPACTION_BYTES && this.size > 4 * this.#pendingBytes;
  }

  async #isInPlace(): Promise<boolean> {
    const file = this.#file;
    if (!file) return true;
    return stat(file.path).then(
      ({ ino }) => ino === file.inode,
      () => false,
    );
  }

  /** Writes everything that is pending to a new file. */
  async #replace(): Promise<void> {
    const old = this.#file;
    const pending = [...this.#pending];
    this.#lines = [];
    this.#done = [];
    this.#mustReplace = false;
    if (pending.length === 0 && !old) return;
    const path = this.#options.createPath();
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'ax', 0o600);
    try {
      this.#file = {
        path,
        handle,
        inode: (await handle.stat()).ino,
        size: await writeRequests(handle, pending),
      };
    } catch (error) {
      await handle.close().catch(() => {});
      await unlink(path).catch(() => {});
      throw error;
    }
    await syncDirectory(dirname(path));
    for (const [, entry] of pending) entry.isOnDisk = true;
    await old?.handle.close().catch(() => {});
    await (old && unlink(old.path).catch(() => {}));
  }

  /** Requests stay in memory; the next `keepAlive` tries again. */
  #fail(error: unknown, waiters: Waiter[]): void {
    this.#hasFailed = true;
    this.#mustReplace = false;
    this.#lines = [];
    this.#done = [];
    for (const resolve of [...waiters, ...this.#waiters.splice(0)]) resolve(false);
    this.#options.onError(error);
  }
}

/** Returns the size of the file. */
async function writeRequests(handle: FileHandle, requests: [Delivery, Entry][]): Promise<number> {
  let size = 0;
  for (let i = 0; i < requests.length; i += CHUNK_LINES) {
    const lines = requests.slice(i, i + CHUNK_LINES).map(([delivery, { id }]) => requestLine(id, delivery));
    const bytes = Buffer.from(lines.join(''));
    await handle.appendFile(bytes);
    size += bytes.length;
  }
  await handle.sync();
  return size;
}

/** Otherwise a power loss could remove a new file. Some systems cannot sync directories. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close().catch(() => {});
}
