import { compileFlags } from '@switchyard/core/evaluation/flags';
import { narrateFlag } from '../../narration/narrate-flag.ts';
import { compileRuleRegex } from './rule-regex.ts';

export type FlagValue = boolean | string;

/** A result of the evaluator; the same object for the same result. */
export interface FlagEvaluation {
  /** With a format, the text. */
  readonly value: FlagValue;
  readonly format?: 'number' | 'json';
  readonly reason: 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'DEFAULT';
  readonly ruleId?: string;
  readonly variant?: string;
}

interface Condition {
  operator: string;
}

interface Configuration {
  flagId: string;
  environmentId: string;
  rules: { conditions?: Condition[] }[];
  prerequisites?: { flag: string }[];
}

/** The response of `GET /v1/flags/list`, as far as it is used here. */
export interface FlagList {
  flags: { id: string; key: string; name?: string; description?: string }[];
  configs: Configuration[];
}

/** The compiled flags of one environment. */
export interface FlagState {
  readonly keys: readonly string[];
  evaluate(key: string, context: Readonly<Record<string, unknown>>): FlagEvaluation | undefined;
  eachOutcome(
    context: Readonly<Record<string, unknown>>,
    visit: (outcome: { key: string; evaluation: FlagEvaluation }) => void,
  ): void;
  /** The keys of flags with measured rules. */
  readonly measured: ReadonlySet<string>;
  /** The measured rules of a flag that reach the context. */
  exposures(
    key: string,
    context: Readonly<Record<string, unknown>>,
  ): { flagKey: string; ruleId: string; variant: string; unit: string }[];
  /** Why a flag has its value, in words; slow. */
  explain(key: string, context: Readonly<Record<string, unknown>>): string;
  /** What the values of each flag depend on, as JSON. */
  readonly signatures: ReadonlyMap<string, string>;
}

type Definitions = Parameters<typeof compileFlags>[0];
type Segments = Parameters<typeof compileFlags>[1];

export const isFlagList = (data: unknown): data is FlagList =>
  Array.isArray((data as FlagList)?.flags) && Array.isArray((data as FlagList).configs);

export function usesSegments(list: FlagList, environment: string): boolean {
  return list.configs.some((config) => config.environmentId === environment && usesSegment(config));
}

const usesSegment = ({ rules }: Configuration): boolean =>
  rules.some(({ conditions = [] }) => conditions.some(({ operator }) => operator === 'inSegment'));

export function compileState(list: FlagList, segments: readonly unknown[], environment: string): FlagState {
  const configs = new Map<string, Configuration>();
  for (const config of list.configs) {
    if (config.environmentId === environment) configs.set(config.flagId, { prerequisites: [], ...config });
  }
  const definitions = list.flags.map((flag) => {
    const configuration = configs.get(flag.id);
    // The list has no versions, and no value depends on them.
    return { ...flag, version: 0, ...(configuration && { configuration }) };
  });
  const set = compileFlags(definitions as unknown as Definitions, segments as unknown as Segments, {
    regex: compileRuleRegex,
  });
  const targeting = { flags: definitions, segments };
  return Object.assign(set, {
    explain: (key: string, context: Readonly<Record<string, unknown>>) =>
      narrateFlag({ key, targeting, context, compileRegex: compileRuleRegex }),
    signatures: signaturesOf(list, configs, JSON.stringify(segments)),
  });
}

/** Everything that the values of a flag depend on. */
interface Signature {
  definition: object;
  config: Configuration | undefined;
  segments: string;
}

function signaturesOf(
  list: FlagList,
  configs: ReadonlyMap<string, Configuration>,
  segments: string,
): Map<string, string> {
  return new Map(
    list.flags.map((flag) => {
      const config = configs.get(flag.id);
      const { name: _name, description: _description, ...definition } = flag;
      const signature: Signature = {
        definition,
        config,
        segments: config && usesSegment(config) ? segments : '',
      };
      return [flag.key, JSON.stringify(signature)];
    }),
  );
}

/** Keys of the flags whose values may have changed, including added and removed flags. */
export function changedKeys(before: FlagState, after: FlagState): string[] {
  const changed = new Set<string>();
  for (const [key, signature] of after.signatures) {
    if (before.signatures.get(key) !== signature) changed.add(key);
  }
  for (const key of before.signatures.keys()) if (!after.signatures.has(key)) changed.add(key);
  // Flags that depend on a changed flag may change too.
  for (let size = -1; size !== changed.size; ) {
    size = changed.size;
    for (const [key, signature] of after.signatures) {
      if (!changed.has(key) && dependsOnAny(signature, changed)) changed.add(key);
    }
  }
  return [...changed];
}

function dependsOnAny(signature: string, keys: ReadonlySet<string>): boolean {
  const { config } = JSON.parse(signature) as Signature;
  return config?.prerequisites?.some(({ flag }) => keys.has(flag)) === true;
}
