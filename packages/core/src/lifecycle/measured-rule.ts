import type {
  Condition,
  FlagConfiguration,
  FlagValue,
  Measure,
  Prerequisite,
  Rule,
  Segment,
} from '../api/targeting.ts';
import { measuredUnit, measuredVariations, OFF } from '../evaluation/measured-rules.ts';
import { smallSha256 } from '../evaluation/small-sha256.ts';
import { advancePlan, type GuardedRolloutPlan, measureOf } from './guarded-rollout.ts';
import { measuredStatus } from './measured-status.ts';
import {
  type AudienceInForce,
  advancePhases,
  audienceInForce,
  type Phase,
  type PhaseDefinition,
} from './phases.ts';

/** A rule that is or was measured; derived by the writer. */
export interface MeasuredRule {
  ruleId: string;
  /** As it is in the rule or, once it is gone, as it was. */
  measure: Measure;
  /** What the rule serves to everybody since its measurement has ended. */
  winner: string | null;
  /** Oldest first. */
  phases: readonly Phase[];
  /** Of a rollout with guardrails, also after it has ended; omitted if there was none. */
  plan?: GuardedRolloutPlan;
}

type Configuration = Pick<FlagConfiguration, 'enabled' | 'value' | 'rules' | 'prerequisites'>;

interface Place {
  readonly flagKey: string;
  readonly segments: readonly Segment[];
  /** When the change takes effect: before `now` if a schedule is late. */
  readonly at: number;
  readonly now: number;
}

/** The measured rules of a flag in an environment after a change; the same list if nothing changes. */
export function advanceMeasuredRules(
  before: readonly MeasuredRule[],
  configuration: Configuration,
  place: Place,
): readonly MeasuredRule[] {
  const after = configuration.rules.flatMap((rule) => {
    const known = before.find(({ ruleId }) => ruleId === rule.id);
    const measured = advance(known, rule, configuration, place);
    return measured === undefined ? [] : [measured];
  });
  const isSame = after.length === before.length && after.every((each, index) => each === before[index]);
  return isSame ? before : after;
}

function advance(
  known: MeasuredRule | undefined,
  rule: Rule,
  configuration: Configuration,
  { flagKey, segments, at, now }: Place,
): MeasuredRule | undefined {
  const measure = measureOf(rule) ?? known?.measure;
  if (measure === undefined) return undefined;
  const previous = known?.phases ?? [];
  const status = measuredStatus(configuration, rule.id, previous.length > 0);
  const definition = measuredDefinition(flagKey, rule, configuration, segments);
  const phases = advancePhases(previous, status, definition, at, now);
  if (phases.length === 0) return undefined;
  const winner = status === 'stopped' ? winnerOf(rule, phases.at(-1)!.definition) : null;
  const plan = advancePlan(known?.plan, rule, phases, at);
  const isSame =
    known !== undefined &&
    known.phases === phases &&
    known.plan === plan &&
    known.winner === winner &&
    JSON.stringify(known.measure) === JSON.stringify(measure);
  return isSame ? known : { ruleId: rule.id, measure, winner, phases, ...(plan && { plan }) };
}

/** The variation that everybody gets now; null if they get several values, or none that was compared. */
function winnerOf(rule: Rule, { variations }: PhaseDefinition): string | null {
  const percentage = rule.rollout?.percentage ?? 100;
  if (rule.enabled === false || rule.split !== undefined) return null;
  if (percentage === 0) return variations.find(({ key, value }) => key === OFF && value === '')?.key ?? null;
  if (percentage < 100) return null;
  return variations.find(({ value }) => value === JSON.stringify(rule.value))?.key ?? null;
}

/** Everything that determines who is in which variation of a measured rule. */
function measuredDefinition(
  flagKey: string,
  rule: Rule,
  { value, rules, prerequisites }: Configuration,
  segments: readonly Segment[],
): PhaseDefinition {
  const { id, match, conditions = [], rollout, split } = rule;
  const index = rules.indexOf(rule);
  const others = (list: readonly Rule[]) => list.filter(({ enabled }) => enabled !== false);
  const before = others(rules.slice(0, index));
  const reach = digest([prerequisites.map(asRequired), before.map((each) => asReached(each, segments))]);
  const isReachedByAll = prerequisites.length + before.length === 0;
  const after = others(rules.slice(index + 1)).map((each) => asServed(each, segments));
  return {
    hashSeed: `${flagKey}:${rollout?.salt ?? id}${rollout?.by === undefined ? '' : ` by ${rollout.by}`}`,
    trafficAllocation: split === undefined ? 100 : (rollout?.percentage ?? 100),
    variations: measuredVariations(rule).map(({ key, weight, value: text }) => ({
      key,
      weight,
      value: text,
    })),
    exclusion: null,
    holdout: null,
    unit: measuredUnit(rule),
    ...(conditions.length > 0 && { audience: audienceOf({ match, conditions }, segments) }),
    ...(!isReachedByAll && { reach }),
    // Those outside a rollout get what comes after the rule.
    ...(split === undefined && { otherwise: digest([value, after]) }),
  };
}

const digest = (content: unknown) => smallSha256(JSON.stringify(content));

const audienceOf = (
  { match = 'all', conditions = [] }: { match?: Rule['match']; conditions?: Condition[] },
  segments: readonly Segment[],
): AudienceInForce => audienceInForce({ match, conditions }, segments);

const asRequired = ({ flag, value }: Prerequisite) => [flag, value];

/** Whom a rule keeps from those after it. */
function asReached(rule: Rule, segments: readonly Segment[]) {
  const { percentage = 100, by = null, salt = rule.id } = rule.rollout ?? {};
  // Each entry of a split keeps its part of a rollout.
  const shares = percentage < 100 ? rule.split?.map(({ weight }) => weight) : undefined;
  const draw = percentage >= 100 ? null : [percentage, by, salt, shares ?? null];
  return [audienceOf(rule, segments), draw];
}

/** Whom it gives which value. */
function asServed(rule: Rule, segments: readonly Segment[]) {
  const served: FlagValue | readonly (readonly [FlagValue, number])[] | null =
    rule.split?.map((entry) => [entry.value, entry.weight] as const) ?? rule.value ?? null;
  const { by = null, salt = rule.id } = rule.rollout ?? {};
  return [asReached(rule, segments), served, rule.split === undefined ? null : [by, salt]];
}
