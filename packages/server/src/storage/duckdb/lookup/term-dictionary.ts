import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../sql.ts';

/** Stands for a text that was not given. */
const NO_TERM = 0;

/**
 * Numbers for texts of which there are few (properties, tests, variations, goals, devices, …): a number costs a
 * tenth of a text to append, and a question about an unknown one needs no query. Lives in memory as a whole.
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
    for (const [id, text] of rows) this.#remember(id, text);
  }

  /** The number of a text, a new one if need be; a new one must be stored with the batch that uses it. */
  idOf(text: string | undefined): number {
    if (text === undefined) return NO_TERM;
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const stored = asStored(text);
    const alias = this.#ids.get(stored);
    if (alias !== undefined) return alias;
    // Numbers are not used again after a failed batch: a question under way may still hold one.
    const id = this.#next;
    this.#remember(id, stored);
    this.#added.push({ id, text: stored });
    return id;
  }

  /** The number of a text, if there is one. */
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

  stored(): void {
    this.#added = [];
  }

  #remember(id: number, text: string): void {
    this.#ids.set(text, id);
    this.#texts.set(id, text);
    this.#next = Math.max(this.#next, id + 1);
  }
}

/** What comes back from UTF-8: a lone surrogate turns into U+FFFD. */
function asStored(text: string): string {
  return Buffer.from(text).toString();
}
