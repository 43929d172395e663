import type { Condition, FlagDefinition, Rule, Segment } from '../api/targeting.ts';
import { type Context, readAttribute } from './attribute-values.ts';
import { isMissing } from './conditions.ts';
import { reachableFrom } from './dependencies.ts';
import { prerequisitesOf } from './flags.ts';
import { UNITS } from './rollout.ts';
import { segmentsIn } from './segments.ts';

export interface Targeting {
  readonly flags: readonly FlagDefinition[];
  readonly segments: readonly Segment[];
}

/** The attributes that decide about a flag or segment. */
export interface UsedAttributes {
  /** Named by conditions, and by rollouts with `by`. */
  readonly named: ReadonlySet<string>;
  /** Whether a rollout hashes the first id of the context. */
  readonly usesUnit: boolean;
}

/** A flag and everything its evaluation looks at: prerequisites and segments, directly or not. */
export function neededFor(flagKeys: Iterable<string>, { flags, segments }: Targeting): Targeting {
  const byKey = new Map(flags.toReversed().map((flag) => [flag.key, flag]));
  const keys = reachableFrom(flagKeys, (key) => {
    const flag = byKey.get(key);
    return flag === undefined ? [] : prerequisitesOf(flag);
  });
  const needed = flags.filter(({ key }) => keys.has(key));
  const first = needed.flatMap((flag) => rulesOf(flag)).flatMap((rule) => segmentsIn(rule.conditions ?? []));
  return { flags: needed, segments: segmentsFor(first, segments) };
}

/** The segments, and those that they contain. */
export function segmentsFor(ids: Iterable<string>, segments: readonly Segment[]): Segment[] {
  const byId = new Map(segments.toReversed().map((segment) => [segment.id, segment]));
  const found = reachableFrom(ids, (id) => segmentsIn(byId.get(id)?.conditions ?? []));
  return segments.filter(({ id }) => found.has(id));
}

/** What the evaluation of flags can read from a context. */
export function attributesOf({ flags, segments }: Targeting): UsedAttributes {
  const rules = flags.flatMap(rulesOf);
  const conditions = [...rules.flatMap((rule) => rule.conditions ?? []), ...conditionsOf(segments)];
  const rollouts = rules.flatMap(({ rollout }) => (rollout === undefined ? [] : [rollout])).filter(isPartial);
  const named = conditions.flatMap(({ attribute, operator }) =>
    attribute === undefined || operator === 'inSegment' ? [] : [attribute],
  );
  return {
    named: new Set([...named, ...rollouts.flatMap(({ by }) => by ?? [])]),
    usesUnit: rollouts.some(({ by }) => by === undefined),
  };
}

/** All names, for reading the attributes of a session. */
export function namesIn({ named, usesUnit }: UsedAttributes): string[] {
  return [...new Set([...named, ...(usesUnit ? UNITS : [])])];
}

/** The named attributes that the context does not have. */
export function unknownAttributes({ named }: UsedAttributes, context: Context): string[] {
  return [...named].filter((name) => isMissing(readAttribute(context, name))).sort();
}

function conditionsOf(segments: readonly Segment[]): Condition[] {
  return segments.flatMap(({ conditions }) => conditions);
}

/** The rules that are evaluated. */
function rulesOf({ configuration }: FlagDefinition): Rule[] {
  if (!configuration?.enabled) return [];
  return configuration.rules.filter(({ enabled }) => enabled !== false);
}

/** All other percentages ask for no attribute. */
const isPartial = ({ percentage }: { percentage: number }) => percentage > 0 && percentage < 100;
