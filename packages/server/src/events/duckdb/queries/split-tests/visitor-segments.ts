import { MAX_SEGMENT_LENGTH, type SplitTestQuery } from '../../../store/split-test-queries.ts';
import type { SqlValues } from '../../connection/sql.ts';

/** Attributes that are also known from the session. */
const SESSION_ATTRIBUTES = new Set(['country', 'device', 'browser', 'os']);

/** SQL for the attributes, or the other test, that visitors are split by; nothing for an unsegmented query. */
export class VisitorSegments {
  readonly #attributes: readonly string[];
  /** Placeholders of the JSON pointers to the attributes: JSON paths would have wildcards. */
  readonly #pointers: readonly string[];
  /** Whether another test splits the visitors. */
  readonly isByTest: boolean;

  constructor(by: SplitTestQuery['by'], values: SqlValues) {
    this.isByTest = by?.test !== undefined;
    this.#attributes = by?.attributes ?? [];
    this.#pointers = this.#attributes.map((attribute) =>
      values.add(`/${attribute.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  }

  get isSegmented(): boolean {
    return this.isByTest || this.#attributes.length > 0;
  }

  /** Common table expressions: values of sessions, by attribute. */
  clients(property: number, collectOrder: string): string[] {
    return this.#ofSessions.map(
      ({ attribute, name }) => `${name} AS (
        SELECT session_key, nullif(text, 'unknown') AS ${name}
        FROM (SELECT session_key, arg_max(${attribute}, ${collectOrder}) AS term FROM collects
              WHERE property = ${property} GROUP BY session_key)
        JOIN terms ON terms.id = term)`,
    );
  }

  /** Joins `exposures` with them. */
  get joins(): string {
    return this.#ofSessions.map(({ name }) => `LEFT JOIN ${name} USING (session_key)`).join(' ');
  }

  /** Values of an exposure, one per attribute. */
  get values(): string[] {
    return this.#attributes.map((attribute, index) => {
      // A row must not fail the report: what the engine does not accept as JSON is unknown.
      const own = `TRY(json_extract_string(attributes, ${this.#pointers[index]}))`;
      // A value sent by the client is more reliable than one derived from request headers.
      const value = SESSION_ATTRIBUTES.has(attribute) ? `coalesce(${own}, client_${index})` : own;
      return `left(${value}, ${MAX_SEGMENT_LENGTH})`;
    });
  }

  /** Columns with these values. */
  columnsOf(own: (value: string) => string): string[] {
    return this.values.map((value, index) => `${own(value)} AS value_${index}`);
  }

  /** The segment of a visitor, as a further column: the first known value of each attribute. */
  get column(): string {
    if (this.#attributes.length === 0) return '';
    const values = this.#attributes.map((_, index) => `arg_min(value_${index}, (seen_at, value_${index}))`);
    if (values.length === 1) return `, ${values[0]} AS segment`;
    const isKnown = `coalesce(${values.join(', ')}) IS NOT NULL`;
    return `, (CASE WHEN ${isKnown} THEN to_json([${values.join(', ')}])::VARCHAR END) AS segment`;
  }

  /** The name of a segment as the port has it. */
  nameOf(segment: string | null): string | null {
    if (segment === null || this.#attributes.length < 2) return segment;
    // Another engine may escape other characters.
    return JSON.stringify(JSON.parse(segment));
  }

  get #ofSessions(): { attribute: string; name: string }[] {
    return this.#attributes
      .map((attribute, index) => ({ attribute, name: `client_${index}` }))
      .filter(({ attribute }) => SESSION_ATTRIBUTES.has(attribute));
  }
}
