import { type AssignableTest, assign, type Holdout } from '@switchyard/core/evaluation/assignment';
import { compileFlags } from '@switchyard/core/evaluation/flags';
import { hashFraction, murmur3 } from '@switchyard/core/evaluation/hash';
import { smallHashFraction } from '@switchyard/core/evaluation/small-hash';
import { compileRuleRegex as regex } from '../../packages/sdk/src/node/flags/rule-regex.ts';

// Bundled and run in the browser; returns the failing vectors.

type Flags = Parameters<typeof compileFlags>;

interface Vectors {
  hash: { name: string; text: string; seed: number; hash: number; fraction?: number }[];
  assignment: {
    name: string;
    test: AssignableTest;
    visitorId: string;
    userId?: string;
    holdout?: Holdout;
    expected: { included: boolean; index: number };
  }[];
  conditions: { name: string; condition: object; context: Record<string, unknown>; matches: boolean }[];
  evaluations: {
    name: string;
    flags: Flags[0];
    segments: Flags[1];
    key: string;
    context: Record<string, unknown>;
    expected: object | null;
  }[];
}

const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
/** Without members that are undefined, which JSON does not have. */
const sorted = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    : value;

function conditionHolds(condition: object, context: Record<string, unknown>): unknown {
  const rules = [{ id: 'r1', conditions: [condition], value: true }];
  const configuration = { enabled: true, value: false, rules, prerequisites: [] };
  const flag = { key: 'f', type: 'boolean', defaultValue: false, version: 1, configuration };
  return compileFlags([flag] as unknown as Flags[0], [], { regex }).evaluate('f', context)?.value;
}

/** Names of the failing vectors. */
export function runVectors({ hash, assignment, conditions, evaluations }: Vectors): string[] {
  return [
    ...hash.filter(
      ({ text, seed, hash: expectedHash, fraction }) =>
        murmur3(text, seed) !== expectedHash ||
        (fraction !== undefined && (hashFraction(text) !== fraction || smallHashFraction(text) !== fraction)),
    ),
    ...assignment.filter(
      ({ test, visitorId, userId, holdout, expected }) =>
        !same(assign(test, visitorId, holdout, userId), expected),
    ),
    ...conditions.filter(({ condition, context, matches }) => conditionHolds(condition, context) !== matches),
    ...evaluations.filter(
      ({ flags, segments, key, context, expected }) =>
        !same(compileFlags(flags, segments, { regex }).evaluate(key, context) ?? null, expected),
    ),
  ].map(({ name }) => name);
}
