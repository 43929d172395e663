import type { Logger } from 'pino';
import type { Database } from '../configuration/database/database.ts';
import { EvaluationCounts } from '../features/flags/evaluation-counts.ts';
import { FlagUsageRecorder } from '../features/flags/flag-usage-recorder.ts';
import { saveLastUsed } from '../features/keys/credential-usage-store.ts';
import { CredentialUsage } from '../http/access/credential-usage.ts';

/** Counts how flags and credentials are used, in memory, and writes the counts to the database. */
export class UsageRecording {
  readonly evaluations = new EvaluationCounts();
  readonly credentials = new CredentialUsage();
  readonly flags: FlagUsageRecorder;
  readonly #database: Database;
  #otherWrites = 0;

  constructor(database: Database) {
    this.#database = database;
    this.flags = new FlagUsageRecorder(database, this.evaluations);
  }

  /** Changes when counts may have been written, by this process or another one. */
  get revision(): number {
    return this.flags.revision + this.#otherWrites;
  }

  /** Call it when another process has written to the database. */
  noticeOtherWrites(): void {
    this.#otherWrites += 1;
  }

  saveFlags(): Promise<void> {
    return this.flags.flush(Date.now());
  }

  saveCredentials(): Promise<void> {
    return this.credentials.flush((ids) => saveLastUsed(this.#database, ids, Date.now()));
  }

  /** Writes the rest when the server stops; losing it must not fail the stop. */
  async close(log: Logger): Promise<void> {
    const results = await Promise.allSettled([this.saveFlags(), this.saveCredentials()]);
    for (const result of results) {
      if (result.status === 'rejected') {
        log.error({ err: result.reason }, 'the last seconds of usage could not be saved');
      }
    }
  }
}
