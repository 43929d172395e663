import type { FlagDefinition, FlagType, FlagValue, Prerequisite, Rule, Segment } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import { type ConditionScope, type ContextTest, compileConditions } from './conditions.ts';
import { orderDependencies } from './dependencies.ts';
import type { RegexCompiler } from './operators.ts';
import { compileRollout } from './rollout.ts';
import { compileSegments, type Pass } from './segments.ts';

export type EvaluationReason = 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'DEFAULT';

/** The answer of a flag. Frozen and shared between evaluations: copy it to add to it. */
export interface Evaluation {
  readonly value: FlagValue;
  readonly type: FlagType;
  readonly reason: EvaluationReason;
  /** The rule that decided, for `TARGETING_MATCH` and `SPLIT`. */
  readonly ruleId?: string;
  readonly version: number;
}

/** The flags of one property in one environment, ready to answer. */
export interface FlagSet {
  readonly keys: readonly string[];
  /** `undefined` for a flag that does not exist. */
  evaluate(key: string, context: Context): Evaluation | undefined;
  /** Hands over the answers of all flags one by one, which costs no object. */
  evaluateEach(context: Context, visit: (key: string, evaluation: Evaluation) => void): void;
  /** The answers of all flags, in an object without prototype: any key is safe in it. */
  evaluateAll(context: Context): Record<string, Evaluation>;
}

interface CompiledRule {
  readonly matches: ContextTest;
  readonly rollout: ContextTest | undefined;
  readonly answer: Evaluation;
}

interface CompiledFlag {
  readonly prerequisites: readonly { readonly flag: CompiledFlag; readonly value: FlagValue }[];
  readonly unmet: Evaluation;
  readonly rules: readonly CompiledRule[];
  readonly otherwise: Evaluation;
  /** The pass in which `answer` was found; it is not valid in any other. */
  decidedIn: number;
  answer: Evaluation;
}

/**
 * Prepares flags for evaluation: whatever can be parsed, lower-cased, compiled or resolved is, and every
 * possible answer is built, so that evaluating allocates next to nothing. Never throws: what makes no sense
 * (see `checkFlags`, which refuses it when saved) does not match.
 *
 * @example compileFlags(definitions, segments, { regex }).evaluate('new-checkout', { userId: 'u1' })
 */
export function compileFlags(
  definitions: readonly FlagDefinition[],
  segments: readonly Segment[],
  options: { regex: RegexCompiler },
): FlagSet {
  const pass: Pass = { id: 0 };
  const tests = compileSegments(segments, options.regex, pass);
  const scope: ConditionScope = { regex: options.regex, segment: (id) => tests.get(id) };
  const flags = compileInOrder(definitions, scope);
  const keys = Object.freeze([...flags.keys()]);
  return {
    keys,
    evaluate(key, context) {
      const flag = flags.get(key);
      if (!flag) return undefined;
      pass.id++;
      return decide(flag, context, pass);
    },
    evaluateEach(context, visit) {
      pass.id++;
      for (const [key, flag] of flags) visit(key, decide(flag, context, pass));
    },
    evaluateAll(context) {
      const answers: Record<string, Evaluation> = Object.create(null);
      this.evaluateEach(context, (key, evaluation) => {
        answers[key] = evaluation;
      });
      return answers;
    },
  };
}

function decide(flag: CompiledFlag, context: Context, pass: Pass): Evaluation {
  if (flag.decidedIn === pass.id) return flag.answer;
  const answer = meetsPrerequisites(flag, context, pass) ? firstMatch(flag, context) : flag.unmet;
  flag.decidedIn = pass.id;
  flag.answer = answer;
  return answer;
}

function meetsPrerequisites(flag: CompiledFlag, context: Context, pass: Pass): boolean {
  for (const prerequisite of flag.prerequisites) {
    if (decide(prerequisite.flag, context, pass).value !== prerequisite.value) return false;
  }
  return true;
}

function firstMatch(flag: CompiledFlag, context: Context): Evaluation {
  for (const rule of flag.rules) {
    if (rule.matches(context) && (rule.rollout === undefined || rule.rollout(context))) return rule.answer;
  }
  return flag.otherwise;
}

/** Compiles flags after their prerequisites; hands them back in the order given, the first of two with one key. */
function compileInOrder(
  definitions: readonly FlagDefinition[],
  scope: ConditionScope,
): Map<string, CompiledFlag> {
  const byKey = new Map<string, FlagDefinition>();
  for (const definition of definitions) if (!byKey.has(definition.key)) byKey.set(definition.key, definition);
  const edges = [...byKey].map(([key, { configuration }]) => {
    return [key, configuration?.prerequisites.map(({ flag }) => flag) ?? []] as const;
  });
  const { order, refused } = orderDependencies(new Map(edges));
  const compiled = new Map<string, CompiledFlag>();
  for (const key of order) {
    const resolve = ({ flag, value }: Prerequisite) => {
      const target = refused.has(key) || refused.has(flag) ? undefined : compiled.get(flag);
      return target && { flag: target, value };
    };
    compiled.set(key, compileFlag(byKey.get(key) as FlagDefinition, resolve, scope));
  }
  return new Map([...byKey.keys()].map((key) => [key, compiled.get(key) as CompiledFlag]));
}

function compileFlag(
  flag: FlagDefinition,
  resolve: (prerequisite: Prerequisite) => CompiledFlag['prerequisites'][number] | undefined,
  scope: ConditionScope,
): CompiledFlag {
  const { configuration, defaultValue } = flag;
  if (!configuration) return settled(answer(flag, defaultValue, 'DEFAULT'));
  if (!configuration.enabled) return settled(answer(flag, defaultValue, 'DISABLED'));
  const unmet = answer(flag, defaultValue, 'DEFAULT');
  const prerequisites = configuration.prerequisites.map(resolve).filter((target) => target !== undefined);
  if (prerequisites.length < configuration.prerequisites.length) return settled(unmet);
  const enabled = configuration.rules.filter((rule) => rule.enabled !== false);
  const otherwise = answer(flag, configuration.value, enabled.length > 0 ? 'DEFAULT' : 'STATIC');
  const rules = enabled.map((rule) => compileRule(flag, rule, scope));
  return { prerequisites, unmet, rules, otherwise, decidedIn: -1, answer: otherwise };
}

/** A flag that answers the same whatever the context. */
function settled(otherwise: Evaluation): CompiledFlag {
  return { prerequisites: [], unmet: otherwise, rules: [], otherwise, decidedIn: -1, answer: otherwise };
}

function compileRule(flag: FlagDefinition, rule: Rule, scope: ConditionScope): CompiledRule {
  return {
    matches: compileConditions(rule.match, rule.conditions ?? [], scope),
    rollout: rule.rollout && compileRollout(flag.key, rule.id, rule.rollout),
    answer: answer(flag, rule.value, rule.rollout ? 'SPLIT' : 'TARGETING_MATCH', rule.id),
  };
}

function answer(
  flag: FlagDefinition,
  value: FlagValue,
  reason: EvaluationReason,
  ruleId?: string,
): Evaluation {
  const { type, version } = flag;
  return Object.freeze(
    ruleId === undefined ? { value, type, reason, version } : { value, type, reason, ruleId, version },
  );
}
