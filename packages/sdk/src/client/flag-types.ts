import type { JsonValue, KeyOf } from './schema.ts';

/** Keys of the flags with such values. Of a flag with any JSON, neither booleans nor texts can be read. */
export type FlagKeyOf<Section, Value extends boolean | string> = {
  [Key in KeyOf<Section>]: string extends Key
    ? Key
    : JsonValue extends Section[Key]
      ? never
      : [Extract<Section[Key], Value>] extends [never]
        ? never
        : Key;
}[KeyOf<Section>];

/** Keys of the flags that may have numbers. */
export type NumberKeyOf<Section> = {
  [Key in KeyOf<Section>]: JsonValue extends Section[Key]
    ? Key
    : [Extract<Section[Key], number>] extends [never]
      ? never
      : Key;
}[KeyOf<Section>];

/** Keys of the flags that may have objects, arrays or null. */
export type JsonKeyOf<Section> = {
  [Key in KeyOf<Section>]: [Exclude<Section[Key], boolean | string | number>] extends [never] ? never : Key;
}[KeyOf<Section>];

/** A value as fallback. Any one for any JSON: interfaces are not assignable to `JsonValue`. */
export type ValueFallback<Value> = JsonValue extends Value ? boolean | string | number | object : Value;

/**
 * Also `null`, for flags with JSON. Calls have an overload for fallbacks without it: for one that TypeScript infers too
 * widely, such as `{ currency: string }` instead of `'EUR' | 'USD'`, it assumes all that is allowed.
 */
export type FlagFallback<Value> =
  | ValueFallback<Value>
  | ([Exclude<Value, boolean | string | number>] extends [never] ? never : null);

/** The part of the values that is a number or a text; all of them if any JSON is possible. */
export type Part<Value, Type> = JsonValue extends Value ? Type : Extract<Value, Type>;

type Widened<Type> = Type extends boolean
  ? boolean
  : Type extends string
    ? string
    : Type extends number
      ? number
      : Type;

/** The type of a JSON value: that of the schema if it is known, else that of the fallback. */
export type JsonValueFor<Value, Fallback> = JsonValue extends Value
  ? Fallback extends null
    ? JsonValue
    : Widened<Fallback>
  : Value | Extract<Fallback, null>;

/** The type of a value that is read with this fallback. With the fallback `true`, it may be `false` too. */
export type FlagValueFor<Value, Fallback> = Fallback extends boolean
  ? boolean
  : Fallback extends string
    ? Part<Value, string>
    : Fallback extends number
      ? Part<Value, number>
      : Fallback extends null | undefined
        ? Value | Fallback
        : JsonValue extends Value
          ? Fallback
          : Value;
