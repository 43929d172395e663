import { existsSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../operations/backup/manifest.ts';
import { serverUrls } from '../../platform/settings/server-urls.ts';
import type { BatchPlan, SourceBatch } from './copy-events.ts';

/** PostgreSQL and ClickHouse of an installation with nodes. */
export interface Servers {
  databaseUrl: string;
  clickhouse: { url: string; cluster?: string };
}

interface RecordFile {
  /** `out`: from this directory to the servers; `in`: the other way. */
  direction: 'out' | 'in';
  servers: ServerNames;
  startedAt: string;
  /** The batch that the servers may have a part of. */
  planned?: SourceBatch;
}

interface ServerNames {
  database: string;
  clickhouse: string;
}

const FILE = 'move.json';

/** Without passwords, which do not belong to what identifies a server. */
export function serverNames({ databaseUrl, clickhouse }: Servers): ServerNames {
  const nameOf = (urls: readonly string[]) => {
    const servers = urls.map((url) => new URL(url));
    return `${servers.map(({ host }) => host).join(',')}${servers[0]!.pathname}`;
  };
  return { database: nameOf(serverUrls(databaseUrl) ?? []), clickhouse: nameOf([clickhouse.url]) };
}

/** A file in the data directory about a move that has begun. It also keeps the boundaries of a batch. */
export class MoveRecord implements BatchPlan {
  readonly #dataDir: string;
  /** Whether an earlier run has begun this move. */
  readonly isResumed: boolean;
  #file: RecordFile;

  private constructor(dataDir: string, file: RecordFile, isResumed: boolean) {
    this.#dataDir = dataDir;
    this.#file = file;
    this.isResumed = isResumed;
  }

  /** The record of this move; a new one, which is not written yet, if there is none or one of another move. */
  static open(dataDir: string, direction: RecordFile['direction'], servers: Servers): MoveRecord {
    const names = serverNames(servers);
    const found = readRecord(dataDir);
    const isSame =
      found?.direction === direction &&
      found.servers.database === names.database &&
      found.servers.clickhouse === names.clickhouse;
    const fresh = { direction, servers: names, startedAt: new Date().toISOString() };
    return new MoveRecord(dataDir, isSame ? found : fresh, isSame);
  }

  get current(): SourceBatch | undefined {
    return this.#file.planned;
  }

  async plan(planned: SourceBatch): Promise<void> {
    this.#file = { ...this.#file, planned };
    await this.save();
  }

  save(): Promise<void> {
    return writeDurably(join(this.#dataDir, FILE), this.#file);
  }

  /** The move is complete, or another command says so. */
  async remove(): Promise<void> {
    await rm(join(this.#dataDir, FILE), { force: true });
    await syncPath(this.#dataDir);
  }
}

/** Whether data is being moved into the directory, and some of it may be missing. */
export function isFilling(dataDir: string): boolean {
  return readRecord(dataDir)?.direction === 'in';
}

function readRecord(dataDir: string): RecordFile | undefined {
  const path = join(dataDir, FILE);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RecordFile;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
export async function writeDurably(path: string, content: object): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncPath(join(path, '..'));
}
