import type { Kysely, SchemaModule } from 'kysely';

/** One step of the schema. Never edit one that was released: add the next number. */
export interface Migration {
  /** Number and subject, like `001-properties`; recorded in the database. */
  readonly name: string;
  /** Types of tables are left out on purpose: a migration must not follow later changes of them. */
  up(schema: SchemaModule, database: Kysely<unknown>): Promise<void>;
}
