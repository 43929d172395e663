import {
  type DecisionRule,
  type DecisionRuleReport,
  type FixedDecisionRule,
  RULE_STATISTICS,
  type RuleChange,
  type RuleGoal,
} from '../../api/decision/decision-rule.ts';
import type { StatisticsSettings } from '../../api/statistics.ts';
import { measuresOf } from '../metrics/metric-measures.ts';
import { describeRule, describeRuleState } from '../words/decision-rule-words.ts';
import { describeRuleChange } from '../words/rule-change-words.ts';
import { DEFAULT_MAX_HARM } from './guardrails.ts';
import type { ReportGoal, ReportMetric } from './report-input.ts';
import { engineOf } from './report-method.ts';

interface RuledTest {
  readonly variations: readonly { readonly key: string; readonly retired?: boolean | undefined }[];
  readonly smallestEffect: number | null;
  readonly plannedVisitors: number | null;
  readonly unit: 'visitor' | 'user';
  readonly attributionDays: number;
  readonly onHarm?: 'stop' | undefined;
}

/** What decides about a test, with the goals as they are now. */
export function decisionRuleOf(
  test: RuledTest,
  goals: readonly ReportGoal[],
  statistics: StatisticsSettings,
): DecisionRule {
  const inRole = (role: ReportGoal['role']) => goals.filter((goal) => goal.role === role);
  const { smallestEffect, plannedVisitors, unit, attributionDays, onHarm } = test;
  return {
    primary: inRole('primary').map(ruleGoal)[0] ?? null,
    secondary: inRole('secondary').map(ruleGoal),
    guardrails: inRole('guardrail').map((goal) => ({
      ...ruleGoal(goal),
      maxHarm: goal.maxHarm ?? smallestEffect ?? DEFAULT_MAX_HARM,
    })),
    variations: test.variations.flatMap(({ key, retired }) => (retired ? [] : [key])),
    smallestEffect,
    plannedVisitors,
    unit,
    attributionDays,
    ...(onHarm && { onHarm }),
    statistics: { ...statistics, stratify: [...statistics.stratify] },
  };
}

const ruleGoal = (goal: ReportGoal): RuleGoal => ({
  id: goal.id,
  name: goal.name,
  kind: goal.kind,
  ...(goal.kind === 'feedback' && { option: goal.option }),
  ...(goal.kind === 'metric' && ruleMetric(goal.definition)),
  lowerIsBetter: goal.lowerIsBetter,
});

/** What a metric computes cannot change once a test has started with it, so the measure says enough. */
const ruleMetric = (definition: ReportMetric) => ({
  measure: measuresOf(definition)[0].name,
  ...(definition.quantile !== undefined && { quantile: definition.quantile }),
  withinDays: definition.withinDays,
  ...(definition.fromDay !== undefined && { fromDay: definition.fromDay }),
  ...(definition.goalName !== undefined && { goalName: definition.goalName }),
});

/** Who changed a part of the rule last, and when. */
export type ChangeOrigin = Pick<RuleChange, 'at' | 'by'>;

/** A change without its origin, which only the history knows. */
export type FoundChange = Omit<RuleChange, 'at' | 'by'>;

interface RuleStatus {
  /** Undefined if none was fixed. */
  readonly fixed: FixedDecisionRule | undefined;
  readonly hasStarted: boolean;
  /** As it is now. */
  readonly current: DecisionRule;
}

/** The rule that a test was started with, and what was changed since. */
export function decisionRuleReport(
  { fixed, hasStarted, current }: RuleStatus,
  originOf: (change: FoundChange) => ChangeOrigin = () => ({ at: null }),
): DecisionRuleReport {
  const state = fixed ? 'fixed' : hasStarted ? 'started-before' : 'not-started';
  const rule = fixed?.rule ?? current;
  const changes = ruleChanges(rule, current).map((change) => ({ ...change, ...originOf(change) }));
  return {
    state,
    fixedAt: fixed?.fixedAt ?? null,
    rule,
    sentences: describeRule(rule),
    changes,
    words: describeRuleState(state, changes),
  };
}

/** What is not as it was fixed, if it decides anything. */
export function ruleChanges(fixed: DecisionRule, current: DecisionRule): FoundChange[] {
  const simple = (what: FoundChange['what'], read: (rule: DecisionRule) => unknown): Compared[] => [
    { what, before: read(fixed), after: read(current) },
  ];
  const goals = (what: 'primary' | 'secondary' | 'guardrails', read: (rule: DecisionRule) => RuleGoal[]) =>
    goalChanges(what, read(fixed), read(current));
  return [
    ...goals('primary', ({ primary }) => (primary ? [primary] : [])),
    ...goals('secondary', ({ secondary }) => secondary),
    ...goals('guardrails', ({ guardrails }) => guardrails),
    ...simple('variations', ({ variations }) => variations),
    ...simple('smallestEffect', ({ smallestEffect }) => smallestEffect),
    ...simple('plannedVisitors', ({ plannedVisitors }) => plannedVisitors),
    ...simple('unit', ({ unit }) => unit),
    ...simple('attributionDays', ({ attributionDays }) => attributionDays),
    ...simple('onHarm', ({ onHarm = 'notify' }) => onHarm),
    ...simple('method', (rule) => engineOf(rule)),
    ...RULE_STATISTICS.filter((name) => decides(name, fixed) || decides(name, current)).flatMap((name) =>
      simple(name, ({ statistics }) => statistics[name]),
    ),
  ]
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
    .map((change) => ({ ...change, words: describeRuleChange(change) }));
}

type Compared = Omit<FoundChange, 'words'>;

/** Whether a setting makes a difference for a rule. */
function decides(name: (typeof RULE_STATISTICS)[number], rule: DecisionRule): boolean {
  switch (name) {
    case 'spending':
      return engineOf(rule) === 'group-sequential';
    case 'sequentialN':
      return engineOf(rule) === 'sequential' || rule.guardrails.length > 0;
    case 'prior':
      return engineOf(rule) === 'bayesian';
    case 'correction':
      return rule.variations.length > 2 || rule.guardrails.length > 1;
    case 'preDays':
      return rule.statistics.cuped;
    case 'shipWithOpenGuardrails':
      return rule.guardrails.length > 0;
    default:
      return true;
  }
}

/**
 * Goals by their ids: their order and their names decide nothing. Nor do the days of a retention metric, which cannot
 * change and are missing in older rules.
 */
function goalChanges(
  what: 'primary' | 'secondary' | 'guardrails',
  before: readonly RuleGoal[],
  after: readonly RuleGoal[],
): Compared[] {
  const named = new Map([...before, ...after].map(({ id, name }) => [id, name]));
  const find = (goals: readonly RuleGoal[], id: string) => {
    const goal = goals.find((it) => it.id === id);
    if (goal === undefined) return null;
    const { fromDay: _fromDay, goalName: _goalName, ...decisive } = goal;
    return { ...decisive, name: named.get(id)! };
  };
  return [...named.keys()].map((id) => ({
    what,
    goalId: id,
    before: find(before, id),
    after: find(after, id),
  }));
}
