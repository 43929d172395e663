import type { SqlParameters } from './clickhouse-client.ts';

/** Collects the bound values of a statement; each method returns the placeholder. */
export class SqlValues {
  readonly #parameters: Record<string, SqlParameters[string]> = {};
  #count = 0;

  get parameters(): SqlParameters {
    return this.#parameters;
  }

  text(value: string): string {
    return this.#add(value, 'String');
  }

  integer(value: number | bigint): string {
    return this.#add(value, 'Int64');
  }

  texts(values: readonly string[]): string {
    return this.#add(values, 'Array(String)');
  }

  integers(values: readonly (number | bigint)[]): string {
    return this.#add(values, 'Array(Int64)');
  }

  #add(value: SqlParameters[string], type: string): string {
    const name = `p${this.#count++}`;
    this.#parameters[name] = value;
    return `{${name}:${type}}`;
  }
}
