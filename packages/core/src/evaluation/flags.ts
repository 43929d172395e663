import type {
  FlagDefinition,
  FlagFormat,
  FlagType,
  FlagValue,
  Prerequisite,
  Rule,
  Segment,
  SplitEntry,
} from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import { type ConditionScope, type ContextTest, compileConditions } from './conditions.ts';
import { type Dependencies, orderDependencies } from './dependencies.ts';
import { isMeasured, OFF, ON } from './measured-rules.ts';
import type { Pass, ReadUnit } from './once-per-pass.ts';
import type { RegexCompiler } from './operators.ts';
import { compileRollout } from './rollout.ts';
import { compileScope } from './segments.ts';
import { compileSplit, variantOf } from './split.ts';

export type EvaluationReason = 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'DEFAULT';

/** The result of evaluating a flag. Frozen and shared between evaluations. */
export interface Evaluation {
  readonly value: FlagValue;
  readonly type: FlagType;
  readonly format?: FlagFormat | undefined;
  readonly reason: EvaluationReason;
  /** The matching rule, for `TARGETING_MATCH` and `SPLIT`. */
  readonly ruleId?: string | undefined;
  /** The entry of the split of the rule: its key, or its position. */
  readonly variant?: string | undefined;
  readonly version: number;
}

/** A possible result of a flag. There is one object for each, which stays the same until the flag changes. */
export interface Outcome {
  readonly key: string;
  readonly evaluation: Evaluation;
  /** For whatever a caller derives from the outcome, e.g. its JSON, so that it is derived once. */
  derived?: unknown;
}

/** A measured rule that reached a context, and the variation that the context is in. */
export interface MeasuredExposure {
  readonly flagKey: string;
  readonly ruleId: string;
  readonly variant: string;
  /** The value that decided the draw. */
  readonly unit: string;
}

/** The compiled flags of one property in one environment. */
export interface FlagSet {
  readonly keys: readonly string[];
  /** `undefined` for a flag that does not exist. */
  evaluate(key: string, context: Context): Evaluation | undefined;
  /** Like `evaluate`. */
  outcome(key: string, context: Context): Outcome | undefined;
  /** Evaluates all flags, without allocating an object. */
  eachOutcome(context: Context, visit: (outcome: Outcome) => void): void;
  /** Evaluates all flags; the object has no prototype, so that any key is safe. */
  evaluateAll(context: Context): Record<string, Evaluation>;
  /** The keys of flags with a measured rule. */
  readonly measured: ReadonlySet<string>;
  /**
   * The measured rules that reach the context, in order. Whoever is outside of a measured rollout may reach others of the
   * same flag. Apart from the evaluation, so that it takes nothing if no rule is measured.
   */
  exposures(key: string, context: Context): MeasuredExposure[];
}

interface CompiledRule {
  readonly matches: ContextTest;
  readonly rollout: ContextTest | undefined;
  readonly result: Outcome;
  /** Instead of the result: one of several, or none if the rollout does not include the context. */
  readonly split: ((context: Context) => Outcome | undefined) | undefined;
}

interface CompiledFlag {
  readonly prerequisites: readonly { readonly flag: CompiledFlag; readonly value: FlagValue }[];
  readonly unmetResult: Outcome;
  readonly rules: readonly CompiledRule[];
  readonly defaultResult: Outcome;
  /** The pass that `result` was computed in; it is not valid in any other. */
  passId: number;
  result: Outcome;
}

/** Of measured rules, what reads the value that decides the draw. Apart from the rules, which are read faster if they are small. */
const measuredUnits = new WeakMap<CompiledRule, ReadUnit>();

/**
 * Compiles flags: parses, lower-cases and resolves everything in advance, and creates every possible result, so that
 * evaluating allocates next to nothing. Never throws: invalid rules, which `checkFlags` rejects, do not match.
 *
 * @example compileFlags(definitions, segments, { regex }).evaluate('new-checkout', { userId: 'u1' })
 */
export function compileFlags(
  definitions: readonly FlagDefinition[],
  segments: readonly Segment[],
  options: { regex: RegexCompiler },
): FlagSet {
  return createFlagCompiler(segments, options)(definitions);
}

/**
 * A compiler for flags that use the same segments. A definition that it has compiled before, as the same object, is
 * not compiled again: after a change of one flag among many, this is most of the work.
 */
export function createFlagCompiler(
  segments: readonly Segment[],
  options: { regex: RegexCompiler },
): (definitions: readonly FlagDefinition[]) => FlagSet {
  const pass: Pass = { id: 0 };
  const scope = compileScope(segments, options.regex, pass);
  const cache = new WeakMap<FlagDefinition, CompiledFlag>();
  return (definitions) => createFlagSet(compileInOrder(definitions, scope, cache), pass);
}

function createFlagSet(flags: ReadonlyMap<string, CompiledFlag>, pass: Pass): FlagSet {
  const keys = Object.freeze([...flags.keys()]);
  const inOrder = [...flags.values()];
  const measured = new Set(inOrder.filter(hasMeasuredRule).map(({ defaultResult }) => defaultResult.key));
  return {
    keys,
    measured,
    evaluate(key, context) {
      return this.outcome(key, context)?.evaluation;
    },
    outcome(key, context) {
      const flag = flags.get(key);
      if (!flag) return undefined;
      pass.id++;
      return evaluateFlag(flag, context, pass);
    },
    eachOutcome(context, visit) {
      pass.id++;
      for (const flag of inOrder) visit(evaluateFlag(flag, context, pass));
    },
    evaluateAll(context) {
      const results: Record<string, Evaluation> = Object.create(null);
      this.eachOutcome(context, ({ key, evaluation }) => {
        results[key] = evaluation;
      });
      return results;
    },
    exposures(key, context) {
      const flag = measured.has(key) ? flags.get(key) : undefined;
      if (flag === undefined) return [];
      pass.id++;
      return meetsPrerequisites(flag, context, pass) ? exposuresTo(flag, context) : [];
    },
  };
}

const hasMeasuredRule = ({ rules }: CompiledFlag) => rules.some((rule) => measuredUnits.has(rule));

function evaluateFlag(flag: CompiledFlag, context: Context, pass: Pass): Outcome {
  if (flag.passId === pass.id) return flag.result;
  const result = meetsPrerequisites(flag, context, pass) ? firstMatch(flag, context) : flag.unmetResult;
  flag.passId = pass.id;
  flag.result = result;
  return result;
}

function meetsPrerequisites(flag: CompiledFlag, context: Context, pass: Pass): boolean {
  for (const prerequisite of flag.prerequisites) {
    if (evaluateFlag(prerequisite.flag, context, pass).evaluation.value !== prerequisite.value) return false;
  }
  return true;
}

function firstMatch(flag: CompiledFlag, context: Context): Outcome {
  for (const rule of flag.rules) {
    if (!rule.matches(context)) continue;
    if (rule.split === undefined) {
      if (rule.rollout === undefined || rule.rollout(context)) return rule.result;
    } else {
      const result = rule.split(context);
      if (result !== undefined) return result;
    }
  }
  return flag.defaultResult;
}

/** Like `firstMatch`, with the measured rules on the way. */
function exposuresTo({ rules, defaultResult }: CompiledFlag, context: Context): MeasuredExposure[] {
  const exposures: MeasuredExposure[] = [];
  const { key: flagKey } = defaultResult;
  for (const rule of rules) {
    if (!rule.matches(context)) continue;
    const served = rule.split === undefined ? rule.result : rule.split(context);
    const isServed = served !== undefined && (rule.split !== undefined || (rule.rollout?.(context) ?? true));
    // Outside of a split with a rollout, nobody is in the test.
    const variant = rule.split === undefined ? (isServed ? ON : OFF) : served?.evaluation.variant;
    // Without an id, nothing is drawn.
    const unit = measuredUnits.get(rule)?.(context);
    const { ruleId } = rule.result.evaluation;
    if (unit !== undefined && variant !== undefined && ruleId !== undefined) {
      exposures.push({ flagKey, ruleId, variant, unit });
    }
    if (isServed) break;
  }
  return exposures;
}

/** The order in which flags depend on each other. */
export function orderFlags(flags: ReadonlyMap<string, FlagDefinition>): Dependencies {
  return orderDependencies(new Map([...flags].map(([key, flag]) => [key, prerequisitesOf(flag)])));
}

/** The keys of its prerequisites. */
export function prerequisitesOf({ configuration }: Pick<FlagDefinition, 'configuration'>): string[] {
  return configuration?.prerequisites.map(({ flag }) => flag) ?? [];
}

/** Compiles flags after their prerequisites; returns them in the given order. Of two with the same key, the first counts. */
function compileInOrder(
  definitions: readonly FlagDefinition[],
  scope: ConditionScope,
  cache: WeakMap<FlagDefinition, CompiledFlag>,
): Map<string, CompiledFlag> {
  const byKey = new Map<string, FlagDefinition>();
  for (const definition of definitions) if (!byKey.has(definition.key)) byKey.set(definition.key, definition);
  const { order, unresolvable } = orderFlags(byKey);
  const compiled = new Map<string, CompiledFlag>();
  for (const key of order) {
    const resolve = ({ flag, value }: Prerequisite) => {
      const target = unresolvable.has(key) || unresolvable.has(flag) ? undefined : compiled.get(flag);
      return target && { flag: target, value };
    };
    const definition = byKey.get(key) as FlagDefinition;
    const flag = cache.get(definition) ?? compileFlag(definition, resolve, scope);
    // With prerequisites, it refers to other compiled flags, which may change.
    if (!definition.configuration?.prerequisites.length) cache.set(definition, flag);
    compiled.set(key, flag);
  }
  return new Map([...byKey.keys()].map((key) => [key, compiled.get(key) as CompiledFlag]));
}

function compileFlag(
  flag: FlagDefinition,
  resolve: (prerequisite: Prerequisite) => CompiledFlag['prerequisites'][number] | undefined,
  scope: ConditionScope,
): CompiledFlag {
  const { configuration, defaultValue } = flag;
  if (!configuration) return constantFlag(createOutcome(flag, defaultValue, 'DEFAULT'));
  if (!configuration.enabled) return constantFlag(createOutcome(flag, defaultValue, 'DISABLED'));
  const unmetResult = createOutcome(flag, defaultValue, 'DEFAULT');
  const prerequisites = configuration.prerequisites.map(resolve).filter((target) => target !== undefined);
  if (prerequisites.length < configuration.prerequisites.length) return constantFlag(unmetResult);
  const enabled = configuration.rules.filter((rule) => rule.enabled !== false);
  const defaultResult = createOutcome(flag, configuration.value, enabled.length > 0 ? 'DEFAULT' : 'STATIC');
  const rules = enabled.map((rule) => compileRule(flag, rule, scope));
  return { prerequisites, unmetResult, rules, defaultResult, passId: -1, result: defaultResult };
}

/** A flag with the same result in every context. */
function constantFlag(result: Outcome): CompiledFlag {
  return { prerequisites: [], unmetResult: result, rules: [], defaultResult: result, passId: -1, result };
}

function compileRule(flag: FlagDefinition, rule: Rule, scope: ConditionScope): CompiledRule {
  // Rules without a value and a split are refused when they are saved.
  const { id: ruleId, value = flag.defaultValue, rollout, split } = rule;
  const compiled = {
    matches: compileConditions(rule.match, rule.conditions ?? [], scope),
    rollout: rollout && compileRollout(flag.key, ruleId, rollout, scope.attributes),
    result: createOutcome(flag, value, rollout ? 'SPLIT' : 'TARGETING_MATCH', { ruleId }),
    split: split && compileSplitResult(flag, rule, split, scope),
  };
  if (isMeasured(rule)) measuredUnits.set(compiled, scope.attributes.unit(rollout?.by));
  return compiled;
}

function compileSplitResult(
  flag: FlagDefinition,
  { id: ruleId, rollout }: Rule,
  split: readonly SplitEntry[],
  { attributes }: ConditionScope,
): (context: Context) => Outcome | undefined {
  const results = split.map(({ value }, index) =>
    createOutcome(flag, value, 'SPLIT', { ruleId, variant: variantOf(split, index) }),
  );
  const draw = compileSplit({ flagKey: flag.key, ruleId, rollout, split, attributes });
  return (context) => results[draw(context)];
}

function createOutcome(
  flag: FlagDefinition,
  value: FlagValue,
  reason: EvaluationReason,
  origin: { readonly ruleId?: string; readonly variant?: string } = {},
): Outcome {
  const { key, type, format, version } = flag;
  const { ruleId, variant } = origin;
  // All have the same members, which makes reading them a tenth faster.
  const evaluation = Object.freeze({ value, type, format, reason, ruleId, variant, version });
  return { key, evaluation, derived: undefined };
}
