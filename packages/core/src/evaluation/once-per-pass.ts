import { type Context, readAttribute, textOf } from './attribute-values.ts';

/** Numbers the evaluations, so that each one reads an attribute and evaluates a segment or flag only once. */
export interface Pass {
  id: number;
}

export type ReadAttribute = (context: Context) => unknown;
export type ReadUnit = (context: Context) => string | undefined;

/** Hashed by default: the first that the context has. */
export const UNITS: readonly string[] = ['targetingKey', 'userId', 'email', 'visitorId', 'sessionId'];

/** Reads the attributes of a context. The rules of many flags use the same ones: each is read once per pass. */
export class AttributeReaders {
  readonly #pass: Pass;
  readonly #attributes = new Map<string, ReadAttribute>();
  readonly #units = new Map<string | undefined, ReadUnit>();

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  of(name: string): ReadAttribute {
    return this.#shared(this.#attributes, name, (context) => readAttribute(context, name));
  }

  /** The id that a rollout hashes: the given attribute, or the first of `UNITS` that the context has. */
  unit(name: string | undefined): ReadUnit {
    const attributes = (name === undefined ? UNITS : [name]).map((each) => this.of(each));
    return this.#shared(this.#units, name, (context) => firstUnit(context, attributes));
  }

  #shared<K, T>(readers: Map<K, (context: Context) => T>, name: K, read: (context: Context) => T) {
    const reader = readers.get(name) ?? oncePerPass(read, this.#pass);
    readers.set(name, reader);
    return reader;
  }
}

/** More than any property has; a limit, because conditions of former versions of a flag stay. */
const MAX_TESTS = 10_000;

/** Tests of conditions. Many flags have the same condition: it is tested once per pass. */
export class SharedTests {
  readonly #pass: Pass;
  readonly #tests = new Map<string, (context: Context) => boolean>();

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  /** @param compile called if no equal condition is known */
  of(condition: object, compile: () => (context: Context) => boolean): (context: Context) => boolean {
    const key = JSON.stringify(condition);
    const known = this.#tests.get(key);
    if (known !== undefined) return known;
    const test = oncePerPass(compile(), this.#pass);
    if (this.#tests.size >= MAX_TESTS) this.#tests.clear();
    this.#tests.set(key, test);
    return test;
  }
}

/** Calls a function once per pass; the context is the same for the whole pass. */
export function oncePerPass<T>(read: (context: Context) => T, pass: Pass): (context: Context) => T {
  let passId = -1;
  let value: T;
  return (context) => {
    if (passId !== pass.id) {
      value = read(context);
      passId = pass.id;
    }
    return value;
  };
}

/** The first attribute that is a non-empty string or a number. */
function firstUnit(context: Context, attributes: readonly ReadAttribute[]): string | undefined {
  for (const attribute of attributes) {
    const value = attribute(context);
    const unit = typeof value === 'boolean' ? undefined : textOf(value);
    if (unit) return unit;
  }
  return undefined;
}
