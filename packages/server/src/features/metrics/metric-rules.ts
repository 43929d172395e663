import { MAX_METRICS, type ProvisionedMetric } from '@switchyard/core/api/metrics';
import { sameJson } from '@switchyard/core/merge/json-value';
import type { ItemRuleContext } from '../../configuration/definitions/collection-definition.ts';
import { toGuardrail, toOutcome } from '../../configuration/definitions/outcome-checks.ts';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import { fixedMetrics } from '../../configuration/property/fixed-metrics.ts';
import { measuredRulesOf } from '../../configuration/property/measured-rules.ts';
import type { Metric, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { type Guardrail, metricIdOf, type TestOutcome } from '../../configuration/property/test-outcome.ts';
import { givenMembers, reportForeignMembers, resolveComputation } from './metric-computation.ts';
import { reportMetricGoals } from './metric-goal-rules.ts';

/** The metrics of the candidate, complete. */
export function resolveMetrics(
  entries: readonly ProvisionedMetric[],
  known: readonly Metric[],
  { mode, report, items, stored }: ItemRuleContext,
): Metric[] {
  reportRepeated(entries, 'id', '/metrics', report);
  reportTooMany(entries, known, report);
  const goals = items('goal');
  return entries.map((entry, index) => {
    const path = `/metrics/${index}`;
    const before = known.find(({ id }) => id === entry.id);
    const metric = resolveMetric(entry, before, path, mode, report);
    reportMetricGoals(metric, goals, path, report);
    if (before !== undefined && stored !== undefined) {
      reportChangedMeaning(before, metric, startedUsers(stored, metric.id), path, report);
    }
    return metric;
  });
}

function reportTooMany(
  entries: readonly ProvisionedMetric[],
  known: readonly Metric[],
  report: Report,
): void {
  const ids = new Set([...known, ...entries].map(({ id }) => id));
  if (ids.size > MAX_METRICS && ids.size > known.length) {
    report('/metrics', `would be ${ids.size}: a property can have at most ${MAX_METRICS}`);
  }
}

function resolveMetric(
  entry: ProvisionedMetric,
  known: Metric | undefined,
  path: string,
  mode: 'merge' | 'replace',
  report: Report,
): Metric {
  const base = mode === 'merge' ? known : undefined;
  const kind = entry.kind ?? base?.kind;
  if (kind === undefined) report(`${path}/kind`, 'is missing: a metric needs a kind, such as count or ratio');
  // What was said about another kind does not fit this one.
  const same = base?.kind === kind ? base : undefined;
  const given = givenMembers({ ...entry, kind: kind ?? 'count' }, same);
  if (kind !== undefined) reportForeignMembers(given, path, report);
  const { description = base?.description ?? null, cap = same?.cap ?? null } = entry;
  const { format = same?.format ?? null } = entry;
  return {
    id: entry.id,
    name: entry.name ?? base?.name ?? entry.id,
    description,
    tags: entry.tags ?? base?.tags ?? [],
    lowerIsBetter: entry.lowerIsBetter ?? base?.lowerIsBetter ?? false,
    cap,
    format,
    // Without a kind, nothing else can be said about its members.
    ...resolveComputation(given, path, kind === undefined ? () => {} : report),
    version: known?.version ?? 0,
  };
}

/** Tests that a message names. */
const MAX_NAMES = 5;

/** Words about a metric, which do not affect results. */
const NOTES: readonly string[] = ['id', 'name', 'description', 'tags', 'format', 'version'];

/** The tests and measured rules that have started with a metric, as messages name them. */
function startedUsers(stored: PropertyConfiguration, metricId: string): string[] {
  const isMeasuredBy = (outcomes: readonly (TestOutcome | Guardrail)[]) =>
    outcomes.some((outcome) => metricIdOf(outcome) === metricId);
  const tests = stored.splitTests.filter(
    ({ phases, goals, guardrails, decisionRule }) =>
      phases.length > 0 &&
      (isMeasuredBy([...goals, ...guardrails]) || fixedMetrics(decisionRule).includes(metricId)),
  );
  const rules = measuredRulesOf(stored).filter(({ measure: { goals, guardrails = [] } }) =>
    isMeasuredBy([...goals.map(toOutcome), ...guardrails.map(toGuardrail)]),
  );
  return [
    ...tests.map(({ key }) => `the split test "${key}"`),
    ...rules.map(({ name }) => `the measured rule "${name.ruleId}" of the flag "${name.flagKey}"`),
  ];
}

/** What a test that has started is measured by must not change, or its results would mean something else. */
function reportChangedMeaning(
  known: Metric,
  wanted: Metric,
  users: readonly string[],
  path: string,
  report: Report,
): void {
  if (users.length === 0) return;
  const [before, after] = [known, wanted].map((it) => it as unknown as Readonly<Record<string, unknown>>);
  const members = Object.keys({ ...before, ...after }).filter(
    (name) => !NOTES.includes(name) && !sameJson(before![name] ?? null, after![name] ?? null),
  );
  const more = users.length > MAX_NAMES ? [`${users.length - MAX_NAMES} more`] : [];
  const tested = [...users.slice(0, MAX_NAMES), ...more].join(', ');
  for (const member of members.includes('kind') ? ['kind'] : members) {
    report(
      `${path}/${member}`,
      `cannot change: ${tested} ${users.length === 1 ? 'has' : 'have'} started with it. Create a metric with another id instead`,
    );
  }
}
