/**
 * What a property defines, for typed keys. `switchyard types` writes a declaration of this shape, so that a
 * misspelt key does not compile.
 *
 * @example
 * interface Shop {
 *   splitTests: { hero: 'control' | 'b'; pricing: { currency: string; price: number } };
 *   flags: { 'new-checkout': boolean; banner: string };
 *   goals: { signup: 'count'; revenue: 'revenue' };
 *   feedbackTypes: { nps: 'good' | 'bad' };
 * }
 */
export interface SwitchyardSchema {
  /** What each test may show: variation keys, texts, or the JSON of its variations. */
  splitTests: object;
  /** The type of each flag's value. */
  flags: object;
  /** The kind of each goal: `count` or `revenue`. */
  goals: object;
  /** The options of each feedback type. */
  feedbackTypes: object;
}

/** Any key, for those who have no declaration. */
export interface AnySchema {
  splitTests: Record<string, unknown>;
  flags: Record<string, boolean | string>;
  goals: Record<string, 'count' | 'revenue'>;
  feedbackTypes: Record<string, string>;
}

/** The keys of one part of a schema. */
export type KeyOf<Part> = keyof Part & string;
