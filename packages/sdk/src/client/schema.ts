/**
 * The keys and values that a property defines. `switchyard types` generates an interface of this shape, with which
 * a misspelled key does not compile.
 *
 * @example
 * interface Shop {
 *   splitTests: { hero: 'control' | 'b'; pricing: { currency: string; price: number } };
 *   flags: { 'new-checkout': boolean; banner: string; price: number; plans: { names: string[] } };
 *   goals: { signup: 'count'; revenue: 'revenue' };
 *   feedbackTypes: { nps: 'good' | 'bad' };
 * }
 */
export interface SwitchyardSchema {
  /** The possible values of each test: variation keys, texts, or the JSON of its variations. */
  splitTests: object;
  /** The type of each flag's value: `boolean`, `string`, or with a format `number` or the type of its JSON. */
  flags: object;
  /** The kind of each goal: `count` or `revenue`. */
  goals: object;
  /** The options of each feedback type. */
  feedbackTypes: object;
}

/** What a flag with the format `json` can contain. Frozen, because all who read the flag share it. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Allows any key; used without a declaration. */
export interface AnySchema {
  splitTests: Record<string, unknown>;
  flags: Record<string, JsonValue>;
  goals: Record<string, 'count' | 'revenue'>;
  feedbackTypes: Record<string, string>;
}

/** The keys of one section of a schema. */
export type KeyOf<Section> = keyof Section & string;
