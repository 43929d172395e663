import type { DecisionRuleReport, FixedDecisionRule } from '@switchyard/core/api/decision/decision-rule';
import { decisionRuleOf, decisionRuleReport } from '@switchyard/core/stats/report/decision-rule';
import { buildReport, REPORT_VERSION, type Report } from '@switchyard/core/stats/report/report';
import type { ReportGoal, ReportInput } from '@switchyard/core/stats/report/report-input';
import { ORIGINS_UNKNOWN } from '@switchyard/core/stats/words/decision-rule-words';
import type { Metric } from '../../configuration/property/property-configuration.ts';
import {
  feedbackOutcomeOf,
  type Guardrail,
  maxHarmOf,
  outcomeId,
  type TestOutcome,
} from '../../configuration/property/test-outcome.ts';
import type { ReportScope } from './report-scope.ts';
import type { ReportedTest } from './reported-test.ts';

export const BUNDLE_FORMAT = 'switchyard-report';

/** All of a split test, or what is reported of a measured rule. */
export interface BundleDefinition extends ReportedTest {
  readonly decisionRule?: FixedDecisionRule | undefined;
  /** What its metrics compute, for readers; missing without metrics. */
  readonly metrics?: readonly Metric[];
}

/** A report with all its input, so that anyone can recompute it. */
export interface ReportBundle {
  format: typeof BUNDLE_FORMAT;
  /** Version of the computation. */
  engineVersion: number;
  exportedAt: number;
  propertyId: string;
  definition: BundleDefinition;
  /** Missing for measured rules, and in bundles of versions that did not fix rules. */
  decisionRule?: DecisionRuleReport;
  phase: number | null;
  method: object;
  input: ReportInput;
  results: Report;
}

export function bundleOf(
  { query, statistics, test, phase }: ReportScope,
  {
    definition,
    decisionRule,
  }: { definition: BundleDefinition; decisionRule: DecisionRuleReport | undefined },
  input: ReportInput,
): ReportBundle {
  return {
    format: BUNDLE_FORMAT,
    engineVersion: REPORT_VERSION,
    exportedAt: Date.now(),
    propertyId: query.propertyId,
    definition,
    ...(decisionRule && { decisionRule }),
    phase: phase?.number ?? null,
    method: { ...statistics, attributionDays: test.attributionDays },
    input,
    results: buildReport(input),
  };
}

/** Paths where the recomputed results differ from the bundle, with both values. */
export function differencesIn(bundle: ReportBundle): string[] {
  // Serialised like the bundle, which drops undefined members.
  const recomputed = JSON.parse(JSON.stringify(buildReport(bundle.input)));
  return [
    ...contradictionsIn(bundle),
    ...ruleContradictionsIn(bundle),
    ...compare('results', bundle.results, recomputed),
  ];
}

/** The rule and its changes follow from the definition and the input; who changed it, only the history knows. */
function ruleContradictionsIn({ definition, decisionRule, input }: ReportBundle): string[] {
  if (decisionRule === undefined) return [];
  const status = {
    fixed: definition.decisionRule,
    hasStarted: definition.phases.length > 0,
    current: decisionRuleOf(definition, input.goals, input.statistics),
  };
  const { changes, incomplete } = decisionRule;
  const recomputed = decisionRuleReport(status, ({ what, goalId }) => {
    const same = changes.find((it) => it.what === what && it.goalId === goalId);
    return same === undefined ? { at: null } : { at: same.at, ...('by' in same && { by: same.by! }) };
  });
  const stated = incomplete === undefined ? {} : { incomplete: ORIGINS_UNKNOWN };
  return compare('decisionRule', decisionRule, JSON.parse(JSON.stringify({ ...recomputed, ...stated })));
}

/** Definition and method are for readers; they must match the input of the computation. */
function contradictionsIn({ definition, phase: number, method, input }: ReportBundle): string[] {
  const phase = definition.phases.find((it) => it.number === number);
  if (phase === undefined && number !== null) return [`phase: the definition has no phase ${number}`];
  const { attributionDays, goals, guardrails } = definition;
  const { variations } = phase?.definition ?? definition;
  const usedOutcomes = (isGuardrail: boolean) =>
    input.goals.filter(({ role }) => (role === 'guardrail') === isGuardrail).map(usedOutcome);
  const stated = {
    ...planOf(definition),
    goals: goals.map(statedOutcome),
    guardrails: guardrails.map(statedOutcome),
    variations: variations.map(({ key, weight }) => ({ key, weight })),
    endedAt: phase?.endedAt ?? null,
  };
  const used = {
    ...planOf(input),
    goals: usedOutcomes(false),
    guardrails: usedOutcomes(true),
    variations: input.variations,
    endedAt: input.endedAt,
  };
  return [
    ...compare('method', method, { ...input.statistics, attributionDays }),
    ...compare('definition', stated, used),
  ];
}

const planOf = ({
  smallestEffect,
  plannedVisitors,
}: Pick<ReportInput, 'smallestEffect' | 'plannedVisitors'>) => ({
  smallestEffect,
  plannedVisitors,
});

function statedOutcome(outcome: TestOutcome | Guardrail) {
  const [id, maxHarm] = [outcomeId(outcome), maxHarmOf(outcome) ?? null];
  const feedback = feedbackOutcomeOf(outcome);
  if (feedback === undefined) return { id, maxHarm };
  const { feedbackType, option = null, lowerIsBetter } = feedback;
  return { id, maxHarm, feedbackType, option, lowerIsBetter };
}

function usedOutcome(goal: ReportGoal) {
  const { id, maxHarm = null } = goal;
  if (goal.kind !== 'feedback') return { id, maxHarm };
  const { feedbackTypeId, option, lowerIsBetter } = goal;
  return { id, maxHarm, feedbackType: feedbackTypeId, option, lowerIsBetter };
}

function compare(path: string, given: unknown, computed: unknown): string[] {
  if (Object.is(given, computed)) return [];
  if (!isObject(given) || !isObject(computed)) {
    return [`${path}: the bundle has ${JSON.stringify(given)}, recomputed: ${JSON.stringify(computed)}`];
  }
  const names = new Set([...Object.keys(given), ...Object.keys(computed)]);
  return [...names].flatMap((name) => compare(`${path}.${name}`, given[name], computed[name]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
