import type { Database } from '../../configuration/database/database.ts';
import { inLockingTransaction } from '../../configuration/database/in-transaction.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { EvaluationCounts, UsageCount } from './evaluation-counts.ts';
import { addUsage, lockUsage, rememberReport } from './flag-usage-store.ts';

/** Counts per transaction: bounds how long merging them takes. */
const MAX_COUNTS_PER_WRITE = 20_000;
/** Counts that may wait for a transaction; further reports are rejected. */
const MAX_WAITING = 200_000;

/** Counts of a client, which are on disk before it gets a response. */
export interface UsageReport {
  propertyId: string;
  reportId?: string | undefined;
  counts: readonly UsageCount[];
  receivedAt: number;
}

interface Waiting {
  report: UsageReport | undefined;
  counts: readonly UsageCount[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Writes counts to the database: everything that arrives during a transaction is part of the next one. */
export class FlagUsageRecorder {
  readonly #database: Database;
  readonly #evaluations: EvaluationCounts;
  #waiting: Waiting[] = [];
  #waitingCounts = 0;
  #writing = false;
  /** Counts that could not be written. */
  #failed: UsageCount[] = [];
  #revision = 0;

  constructor(database: Database, evaluations: EvaluationCounts) {
    this.#database = database;
    this.#evaluations = evaluations;
  }

  /** Increases when counts are written. */
  get revision(): number {
    return this.#revision;
  }

  /** Resolves once the counts are on disk; a report with a known id is not counted again. */
  async report(report: UsageReport): Promise<void> {
    if (this.#waitingCounts >= MAX_WAITING) {
      throw new ApiError('overloaded', { headers: { 'retry-after': '1' } });
    }
    await this.#enqueue(report.counts, report);
  }

  /** Writes the evaluations of this process. After a failure, the next call writes them too. */
  async flush(now: number): Promise<void> {
    const counts = [...this.#failed, ...this.#evaluations.take(now)];
    this.#failed = [];
    const failures: unknown[] = [];
    for (let start = 0; start < counts.length; start += MAX_COUNTS_PER_WRITE) {
      const part = counts.slice(start, start + MAX_COUNTS_PER_WRITE);
      await this.#enqueue(part).catch((error) => {
        failures.push(error);
        this.#failed.push(...part);
      });
    }
    // The oldest are dropped: a database that cannot be written must not exhaust the memory.
    this.#failed = this.#failed.slice(-MAX_WAITING);
    if (failures.length > 0) throw failures[0];
  }

  #enqueue(counts: readonly UsageCount[], report?: UsageReport): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ report, counts, resolve, reject });
      this.#waitingCounts += counts.length;
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#write(batch);
        this.#revision += 1;
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = false;
  }

  /** At least one; more as long as they fit. */
  #nextBatch(): Waiting[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ counts }, i) => {
      size += counts.length;
      return i > 0 && size > MAX_COUNTS_PER_WRITE;
    });
    const batch = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    this.#waitingCounts -= batch.reduce((sum, { counts }) => sum + counts.length, 0);
    return batch;
  }

  #write(batch: readonly Waiting[]): Promise<void> {
    return inLockingTransaction(this.#database, async (transaction) => {
      await lockUsage(transaction);
      const counts: UsageCount[] = [];
      for (const { report, counts: own } of batch) {
        if (report === undefined || (await isNew(transaction, report))) counts.push(...own);
      }
      await addUsage(transaction, counts);
    });
  }
}

async function isNew(
  transaction: Database,
  { propertyId, reportId, receivedAt }: UsageReport,
): Promise<boolean> {
  return reportId === undefined || rememberReport(transaction, propertyId, reportId, receivedAt);
}
