import type { FlagSteps, PrerequisiteStep, RuleStep } from '../api/explanations.ts';
import type { FlagDefinition, Prerequisite, Rule } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import { ConditionExplainer } from './explain-conditions.ts';
import { compileFlags, type Evaluation, type FlagSet, orderFlags } from './flags.ts';
import type { RegexCompiler } from './operators.ts';
import { explainDraw } from './rollout.ts';
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
  readonly #conditions: ConditionExplainer;

  constructor(targeting: Targeting, context: Context, regex: RegexCompiler) {
    this.#targeting = targeting;
    this.#context = context;
    this.#conditions = new ConditionExplainer(targeting.segments, context, regex);
  }

  explain(flag: FlagDefinition, set: FlagSet): FlagSteps {
    const { configuration, defaultValue } = flag;
    const enabled = configuration?.enabled ?? false;
    const prerequisites = configuration?.enabled
      ? this.#prerequisites(flag.key, configuration.prerequisites, set)
      : [];
    const isReached = enabled && prerequisites.every(({ met }) => met);
    const variants = new Map(
      set.exposures(flag.key, this.#context).map(({ ruleId, variant }) => [ruleId, variant]),
    );
    const rules = this.#rules(flag, configuration?.rules ?? [], isReached).map((step): RuleStep => {
      const measured = variants.get(step.id);
      return measured === undefined ? step : { ...step, measured };
    });
    return {
      configured: configuration !== undefined,
      enabled,
      defaultValue,
      fallthrough: configuration?.value ?? null,
      prerequisites,
      rules,
      segments: this.#conditions.segmentSteps(),
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
    const { id, name, match, conditions = [], rollout, split, value } = rule;
    const base = { index, id, ...(name !== undefined && { name }), ...(value !== undefined && { value }) };
    if (rule.enabled === false) return { ...base, outcome: 'turned-off' };
    if (decided) return { ...base, outcome: 'not-reached' };
    const reached = { ...base, match: match ?? 'all', conditions: this.#conditions.steps(conditions) };
    if (!this.#conditions.holds(match, conditions)) return { ...reached, outcome: 'no-match' };
    if (rollout === undefined && split === undefined) return { ...reached, outcome: 'served' };
    const result = explainDraw(flag.key, rule, this.#context);
    return { ...reached, outcome: result.included ? 'served' : 'rolled-out-to-others', rollout: result };
  }
}
