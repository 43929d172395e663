import type {
  ConditionStep,
  FlagSteps,
  PrerequisiteStep,
  RuleStep,
  SegmentStep,
} from '../api/explanations.ts';
import type { Condition, FlagDefinition, Prerequisite, Rule, Segment } from '../api/targeting.ts';
import { type Context, readAttribute } from './attribute-values.ts';
import { type ConditionScope, compileCondition, compileConditions, isMissing } from './conditions.ts';
import { compileFlags, type Evaluation, type FlagSet, orderFlags } from './flags.ts';
import type { RegexCompiler } from './operators.ts';
import { explainRollout } from './rollout.ts';
import { compileScope, segmentsIn } from './segments.ts';
import { attributesOf, type Targeting, TargetingIndex, unknownAttributes } from './used-attributes.ts';

export interface ExplainedFlag {
  readonly evaluation: Evaluation;
  /** Position of the matching rule in the definition. */
  readonly ruleIndex?: number;
  readonly steps: FlagSteps;
  /** Attributes that the flag uses and the context does not have. */
  readonly unknown: string[];
}

/**
 * Evaluates a flag and tells how it got its value. The result is that of the evaluator, and the steps are made of the
 * same compiled conditions and rollouts; unlike the evaluator, all conditions of a reached rule are looked at.
 * Undefined for a flag that does not exist.
 *
 * @example explainFlag('new-checkout', { flags, segments }, { userId: 'u1' }, { regex })?.steps.rules
 */
export function explainFlag(
  key: string,
  targeting: Targeting,
  context: Context,
  { regex }: { regex: RegexCompiler },
): ExplainedFlag | undefined {
  const needed = new TargetingIndex(targeting).neededFor([key]);
  const set = compileFlags(needed.flags, needed.segments, { regex });
  // It comes before its prerequisites.
  const [definition] = needed.flags;
  if (definition === undefined) return undefined;
  const evaluation = set.evaluate(key, context)!;
  const steps = new FlagExplainer(needed, context, regex).explain(definition, set);
  const ruleIndex = steps.rules.findIndex(({ outcome }) => outcome === 'served');
  const unknown = unknownAttributes(attributesOf(needed), context);
  return { evaluation, ...(ruleIndex >= 0 && { ruleIndex }), steps, unknown };
}

class FlagExplainer {
  readonly #targeting: Targeting;
  readonly #context: Context;
  readonly #scope: ConditionScope;
  readonly #segments = new Map<string, Segment>();
  /** Those that a condition asked for. */
  readonly #askedFor = new Set<string>();

  constructor(targeting: Targeting, context: Context, regex: RegexCompiler) {
    this.#targeting = targeting;
    this.#context = context;
    this.#scope = compileScope(targeting.segments, regex, { id: 0 });
    for (const segment of targeting.segments.toReversed()) this.#segments.set(segment.id, segment);
  }

  explain(flag: FlagDefinition, set: FlagSet): FlagSteps {
    const { configuration, defaultValue } = flag;
    const enabled = configuration?.enabled ?? false;
    const prerequisites = configuration?.enabled
      ? this.#prerequisites(flag.key, configuration.prerequisites, set)
      : [];
    const isReached = enabled && prerequisites.every(({ met }) => met);
    const rules = this.#rules(flag, configuration?.rules ?? [], isReached);
    return {
      configured: configuration !== undefined,
      enabled,
      defaultValue,
      fallthrough: configuration?.value ?? null,
      prerequisites,
      rules,
      segments: this.#segmentSteps(),
    };
  }

  #prerequisites(ofFlag: string, all: readonly Prerequisite[], set: FlagSet): PrerequisiteStep[] {
    const byKey = new Map(this.#targeting.flags.toReversed().map((each) => [each.key, each]));
    const { unresolvable } = orderFlags(byKey);
    return all.map(({ flag: key, value: expected }) => {
      const isUsable = !unresolvable.has(ofFlag) && !unresolvable.has(key);
      const evaluation = isUsable ? set.evaluate(key, this.#context) : undefined;
      const { value: actual = null, reason = null } = evaluation ?? {};
      return { flag: key, expected, actual, reason, met: actual === expected };
    });
  }

  #rules(flag: FlagDefinition, rules: readonly Rule[], isReached: boolean): RuleStep[] {
    let decided = !isReached;
    return rules.map((rule, index) => {
      const step = this.#rule(flag, rule, index, decided);
      decided ||= step.outcome === 'served';
      return step;
    });
  }

  #rule(flag: FlagDefinition, rule: Rule, index: number, decided: boolean): RuleStep {
    const { id, name, match, conditions = [], rollout, value } = rule;
    const base = { index, id, ...(name !== undefined && { name }), value };
    if (rule.enabled === false) return { ...base, outcome: 'turned-off' };
    if (decided) return { ...base, outcome: 'not-reached' };
    const steps = conditions.map((condition) => this.#condition(condition));
    const reached = { ...base, match: match ?? 'all', conditions: steps };
    if (!compileConditions(match, conditions, this.#scope)(this.#context)) {
      return { ...reached, outcome: 'no-match' };
    }
    if (rollout === undefined) return { ...reached, outcome: 'served' };
    const result = explainRollout(flag.key, id, rollout, this.#context);
    return { ...reached, outcome: result.included ? 'served' : 'rolled-out-to-others', rollout: result };
  }

  #condition(condition: Condition): ConditionStep {
    const matched = compileCondition(condition, this.#scope)(this.#context);
    const { attribute, operator } = condition;
    if (operator === 'inSegment') {
      const segments = segmentsIn([condition]).map((id) => {
        this.#askedFor.add(id);
        return { id, matched: this.#isMember(id) };
      });
      return { ...condition, matched, segments };
    }
    const actual = attribute === undefined ? undefined : readAttribute(this.#context, attribute);
    return isMissing(actual) ? { ...condition, matched, missing: true } : { ...condition, matched, actual };
  }

  #isMember(id: string): boolean {
    return this.#scope.segment(id)?.(this.#context) ?? false;
  }

  #segmentSteps(): SegmentStep[] {
    const steps: SegmentStep[] = [];
    // Segments that contain others add to the set during the loop.
    for (const id of this.#askedFor) {
      const segment = this.#segments.get(id);
      if (segment === undefined) continue;
      steps.push({
        id,
        ...(segment.name !== undefined && { name: segment.name }),
        matched: this.#isMember(id),
        match: segment.match ?? 'all',
        conditions: segment.conditions.map((condition) => this.#condition(condition)),
      });
    }
    return steps;
  }
}
