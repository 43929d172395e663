import fc from 'fast-check';

const DEFAULT_SEED = 20260101;

/** Printed with every failure. Try other seeds with `FUZZ_SEED=7 npx vitest run …`. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? DEFAULT_SEED);

/** Multiplies the number of cases. */
const FUZZ_FACTOR = Number(process.env.FUZZ_FACTOR ?? 1);

export const runs = (number: number) => ({
  seed: FUZZ_SEED,
  numRuns: number * FUZZ_FACTOR,
  endOnFailure: true,
});

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u202e',
  '💥',
  '💥'.repeat(300),
  'x'.repeat(600),
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '$1',
  '%s%n',
  '../../etc/passwd',
  'null',
  'NaN',
  '1e400',
  '-1',
  '0',
  '99999999999999999999',
  '1e300',
  'shop',
  'other',
];

const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1.5,
  1e-9,
  1e21,
  1e300,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  Number.MAX_VALUE,
  Number.MIN_VALUE,
];

/** Random text, often text that is known to break services. */
export const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary' }),
  fc.string(),
);

/** Replaces lone surrogates, which UTF-8 cannot encode, with U+FFFD. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

/** Random JSON. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: {} }),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Variants of the given value with missing, replaced or repeated parts. */
export function like(value: unknown): fc.Arbitrary<unknown> {
  const close = Array.isArray(value)
    ? fc.array(value.length === 0 ? hostileJson : fc.oneof(...value.map(like)), { maxLength: 4 })
    : typeof value === 'object' && value !== null
      ? likeObject(value)
      : fc.constant(value);
  return fc.oneof({ weight: 8, arbitrary: close }, { weight: 1, arbitrary: hostileJson });
}

function likeObject(value: object): fc.Arbitrary<unknown> {
  const fields = Object.entries(value).map(([name, child]) => [name, like(child)] as const);
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  const extra = fc.dictionary(hostileText, hostileJson, { maxKeys: 2 });
  // Mostly complete, so that many cases pass the schema.
  const whole = fc.record(Object.fromEntries(fields));
  return fc.oneof(
    { weight: 4, arbitrary: whole },
    { weight: 1, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(whole, extra).map(([a, b]) => ({ ...a, ...b })) },
  );
}

/** Variants of the given query string. */
export function likeQuery(query: Record<string, string>): fc.Arbitrary<string> {
  const pairs = Object.entries(query).map(([name, value]) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(`${name}=${encodeURIComponent(value)}`) },
      {
        weight: 2,
        arbitrary: hostileText.map((text) => `${name}=${encodeURIComponent(wellFormed(text))}`),
      },
      { weight: 1, arbitrary: fc.constant(`${name}=${value}&${name}=${value}`) },
      { weight: 1, arbitrary: fc.constant('') },
    ),
  );
  const noise = fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.string().map(rawQuery) },
  );
  return fc.tuple(...pairs, noise).map((parts) => parts.filter((part) => part !== '').join('&'));
}

/** Makes text usable as a raw query string, possibly with invalid percent-encoding. */
const rawQuery = (text: string) => text.replace(/[^\x21-\x7e]|#/g, '%');
