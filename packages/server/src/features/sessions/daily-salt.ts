import { randomBytes } from 'node:crypto';
import { DAY_MS } from '@switchyard/core/time';
import type { Database, DatabaseHandle } from '../../configuration/database/database.ts';

interface Salt {
  day: number;
  salt: string;
}

const dayOf = (time: number) => Math.floor(time / DAY_MS);

/**
 * The secret of the day (UTC) from which daily ids are computed, the same in all processes and nodes. It is in memory
 * and in the database until the day is over.
 */
export class DailySalt {
  readonly #database: Database;
  #current: Salt | undefined;
  #loading: { day: number; salt: Promise<Salt> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async current(now: number): Promise<string> {
    const day = dayOf(now);
    if (this.#current?.day !== day) {
      if (this.#loading?.day !== day) this.#loading = { day, salt: this.#load(day) };
      await this.#loading.salt;
    }
    return this.#current!.salt;
  }

  async #load(day: number): Promise<Salt> {
    try {
      await this.#database
        .insertInto('daily_salts')
        .values({ day, salt: randomBytes(32).toString('hex') })
        // Another process was first.
        .onConflict((conflict) => conflict.column('day').doNothing())
        .execute();
      const { salt } = await this.#database
        .selectFrom('daily_salts')
        .select('salt')
        .where('day', '=', day)
        .executeTakeFirstOrThrow();
      this.#current = { day, salt };
      setTimeout(() => this.#forget(day), (day + 1) * DAY_MS - Date.now()).unref();
      return this.#current;
    } finally {
      this.#loading = undefined;
    }
  }

  #forget(day: number): void {
    if (this.#current?.day === day) this.#current = undefined;
  }
}

/** Deletes the salts of days that are over, also from the write-ahead log: their ids cannot be computed again. */
export async function deleteOldSalts({ background, scrub }: DatabaseHandle, now: number): Promise<void> {
  const { numDeletedRows } = await background
    .deleteFrom('daily_salts')
    .where('day', '<', dayOf(now))
    .executeTakeFirst();
  if (numDeletedRows > 0n) await scrub();
}
