import type { Condition, FlagDefinition, Rule, Segment } from '../api/targeting.ts';
import { type Context, readAttribute } from './attribute-values.ts';
import { isMissing } from './conditions.ts';
import { reachableFrom } from './dependencies.ts';
import { prerequisitesOf } from './flags.ts';
import { UNITS } from './once-per-pass.ts';
import { segmentsIn } from './segments.ts';

export interface Targeting {
  readonly flags: readonly FlagDefinition[];
  readonly segments: readonly Segment[];
}

/** The attributes that decide about a flag, a segment or an audience. */
export interface UsedAttributes {
  /** Named by conditions, and by rollouts with `by`. */
  readonly named: ReadonlySet<string>;
  /** Whether a rollout hashes the first id of the context. */
  readonly usesUnit: boolean;
}

/** Finds what evaluations look at, directly or not. */
export class TargetingIndex {
  readonly #flags: ReadonlyMap<string, FlagDefinition>;
  readonly #segments: ReadonlyMap<string, Segment>;

  constructor({ flags, segments }: Targeting) {
    // Of two with the same name, the first counts.
    this.#flags = new Map(flags.toReversed().map((flag) => [flag.key, flag]));
    this.#segments = new Map(segments.toReversed().map((segment) => [segment.id, segment]));
  }

  /** The flags with their prerequisites, and the segments that they use. */
  neededFor(flagKeys: Iterable<string>): Targeting {
    const keys = reachableFrom(flagKeys, (key) => prerequisitesOf(this.#flags.get(key) ?? {}));
    const flags = [...keys].flatMap((key) => this.#flags.get(key) ?? []);
    const used = flags.flatMap(rulesOf).flatMap(({ conditions }) => segmentsIn(conditions ?? []));
    return { flags, segments: this.withContained(used) };
  }

  /** The segments, and those that they contain. */
  withContained(segmentIds: Iterable<string>): Segment[] {
    const ids = reachableFrom(segmentIds, (id) => segmentsIn(this.#segments.get(id)?.conditions ?? []));
    return [...ids].flatMap((id) => this.#segments.get(id) ?? []);
  }
}

/** What the evaluation of flags can read from a context. */
export function attributesOf({ flags, segments }: Targeting): UsedAttributes {
  const rules = flags.flatMap(rulesOf);
  const conditions = [...rules.flatMap((rule) => rule.conditions ?? []), ...conditionsOf(segments)];
  const drawn = rules.filter(needsUnit).map(({ rollout }) => rollout?.by);
  return {
    named: new Set([...namedBy(conditions), ...drawn.filter((by) => by !== undefined)]),
    usesUnit: drawn.includes(undefined),
  };
}

/** What an audience can read, with the segments that it uses. */
export function attributesOfAudience({ conditions, segments }: UsedConditions): UsedAttributes {
  return { named: new Set(namedBy([...conditions, ...conditionsOf(segments)])), usesUnit: false };
}

interface UsedConditions {
  readonly conditions: readonly Condition[];
  readonly segments: readonly Segment[];
}

/** All names, for reading the attributes of a session. */
export function namesIn({ named, usesUnit }: UsedAttributes): string[] {
  return [...new Set([...named, ...(usesUnit ? UNITS : [])])];
}

/** The named attributes that the context does not have. */
export function unknownAttributes({ named }: UsedAttributes, context: Context): string[] {
  return [...named].filter((name) => isMissing(readAttribute(context, name))).sort();
}

const namedBy = (conditions: readonly Condition[]) =>
  conditions.flatMap(({ attribute, operator }) =>
    attribute === undefined || operator === 'inSegment' ? [] : [attribute],
  );

function conditionsOf(segments: readonly Segment[]): Condition[] {
  return segments.flatMap(({ conditions }) => conditions);
}

/** The rules that are evaluated. */
function rulesOf({ configuration }: FlagDefinition): Rule[] {
  if (!configuration?.enabled) return [];
  return configuration.rules.filter(({ enabled }) => enabled !== false);
}

/** Whether the rule reads an id to decide. */
function needsUnit({ rollout, split = [] }: Rule): boolean {
  const { percentage } = rollout ?? { percentage: 100 };
  const isSplit = split.filter(({ weight }) => weight > 0).length > 1;
  return percentage > 0 && (percentage < 100 || isSplit);
}
