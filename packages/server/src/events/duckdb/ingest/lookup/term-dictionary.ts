import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../connection/sql.ts';

/** Id of a missing text. */
const NO_TERM = 0;

/**
 * Ids for texts with few distinct values (properties, tests, variations, goals, devices, …): appending an id costs a
 * tenth of appending a text, and an unknown text needs no query. Held in memory completely.
 */
export class TermDictionary {
  readonly #ids = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  #added: { id: number; text: string }[] = [];
  #next = NO_TERM + 1;

  async load(connection: DuckDBConnection): Promise<void> {
    const rows = await rowsOf<[number, string]>(connection, 'SELECT id, text FROM terms');
    this.#ids.clear();
    this.#texts.clear();
    this.#added = [];
    for (const [id, text] of rows) this.#set(id, text);
  }

  /** The id of a text, assigned if needed; a new term must be stored with the batch that uses it. */
  idOf(text: string | undefined): number {
    if (text === undefined) return NO_TERM;
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const stored = asStored(text);
    const alias = this.#ids.get(stored);
    if (alias !== undefined) return alias;
    // Ids are not reused after a failed batch: a running query may still hold one.
    const id = this.#next;
    this.#set(id, stored);
    this.#added.push({ id, text: stored });
    return id;
  }

  /** The id of a text, if it has one. */
  find(text: string): number | undefined {
    return this.#ids.get(text) ?? this.#ids.get(asStored(text));
  }

  textOf(id: number): string | null {
    return this.#texts.get(id) ?? null;
  }

  /** Terms that are not stored yet. */
  get added(): readonly { id: number; text: string }[] {
    return this.#added;
  }

  /** Removes terms that are no longer stored. Their ids are not given to others before the next start. */
  drop(ids: readonly number[]): void {
    for (const id of ids) {
      const text = this.#texts.get(id);
      if (text === undefined) continue;
      this.#texts.delete(id);
      this.#ids.delete(text);
    }
  }

  markStored(): void {
    this.#added = [];
  }

  #set(id: number, text: string): void {
    this.#ids.set(text, id);
    this.#texts.set(id, text);
    this.#next = Math.max(this.#next, id + 1);
  }
}

/** The text after a round trip through UTF-8, which turns lone surrogates into U+FFFD. */
function asStored(text: string): string {
  return Buffer.from(text).toString();
}
