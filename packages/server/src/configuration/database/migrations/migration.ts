import type { Kysely, SchemaModule } from 'kysely';

/** A schema migration. Never edit a released one; add a new one instead. */
export interface Migration {
  /** Number and topic, like `001-properties`; recorded in the database. */
  readonly name: string;
  /** Untyped tables on purpose: a migration must not depend on later changes of the table types. */
  up(schema: SchemaModule, database: Kysely<unknown>): Promise<void>;
}
