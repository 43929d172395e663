import { MAX_METRICS_OF_TEST } from '@switchyard/core/api/metrics';
import type { ProvisionedGuardrail, ProvisionedOutcome } from '@switchyard/core/api/test-outcomes';
import type { FeedbackType, Goal, Metric } from '../property/property-configuration.ts';
import {
  feedbackOutcomeOf,
  type Guardrail,
  goalIdOf,
  metricIdOf,
  outcomeId,
  type TestOutcome,
} from '../property/test-outcome.ts';
import type { Report } from './rule-context.ts';

/** In the candidate or in the database. */
export interface KnownOutcomes {
  goalIds: ReadonlySet<string>;
  metricIds: ReadonlySet<string>;
  feedbackTypes: ReadonlyMap<string, FeedbackType>;
}

export const knownOutcomes = (
  goals: readonly Goal[],
  metrics: readonly Metric[],
  feedbackTypes: readonly FeedbackType[],
): KnownOutcomes => ({
  goalIds: new Set(goals.map(({ id }) => id)),
  metricIds: new Set(metrics.map(({ id }) => id)),
  feedbackTypes: new Map(feedbackTypes.map((type) => [type.id, type])),
});

interface Outcomes {
  goals: TestOutcome[];
  guardrails: Guardrail[];
}

/** Which of the lists the candidate contains. */
type Given = Partial<Readonly<Record<keyof Outcomes, unknown>>>;

export function toOutcome(entry: ProvisionedOutcome): TestOutcome {
  return typeof entry === 'string' || 'metric' in entry ? entry : { lowerIsBetter: false, ...entry };
}

export function toGuardrail(entry: ProvisionedGuardrail): Guardrail {
  return typeof entry !== 'string' && 'feedbackType' in entry ? { lowerIsBetter: false, ...entry } : entry;
}

/** Reports problems of the lists that the candidate contains. */
export function reportOutcomes(
  entry: Given,
  { goals, guardrails }: Outcomes,
  known: KnownOutcomes,
  path: string,
  report: Report,
): void {
  if (entry.goals !== undefined) reportList(goals, known, `${path}/goals`, report);
  if (entry.guardrails !== undefined) reportList(guardrails, known, `${path}/guardrails`, report);
  reportTooManyMetrics(entry, { goals, guardrails }, path, report);
  const [goalIds, guardrailIds] = [goals.map(outcomeId), guardrails.map(outcomeId)];
  for (const id of new Set(guardrailIds.filter((each) => goalIds.includes(each)))) {
    const index = guardrailIds.indexOf(id);
    const place = entry.guardrails === undefined ? `goals/${goalIds.indexOf(id)}` : `guardrails/${index}`;
    report(
      `${path}/${place}`,
      `${nameOf(guardrails[index]!)} cannot be both a goal and a guardrail of one test`,
    );
  }
}

function reportList(
  list: readonly (TestOutcome | Guardrail)[],
  { goalIds, metricIds, feedbackTypes }: KnownOutcomes,
  path: string,
  report: Report,
): void {
  const ids = list.map(outcomeId);
  for (const [index, outcome] of list.entries()) {
    const place = `${path}/${index}`;
    const goalId = goalIdOf(outcome);
    if (goalId !== undefined && !goalIds.has(goalId)) {
      const field = typeof outcome === 'string' ? place : `${place}/goalId`;
      report(field, `"${goalId}" is not a goal of this property`);
    }
    const metricId = metricIdOf(outcome);
    if (metricId !== undefined && !metricIds.has(metricId)) {
      report(`${place}/metric`, `"${metricId}" is not a metric of this property`);
    }
    const feedback = feedbackOutcomeOf(outcome);
    if (feedback !== undefined) {
      const { feedbackType, option } = feedback;
      const type = feedbackTypes.get(feedbackType);
      if (type === undefined) {
        report(`${place}/feedbackType`, `"${feedbackType}" is not a feedback type of this property`);
      } else if (option !== undefined && !type.options.includes(option)) {
        report(`${place}/option`, `"${option}" is not an option of the feedback type "${feedbackType}"`);
      }
    }
    if (ids.indexOf(ids[index]!) !== index) report(place, `${nameOf(outcome)} is already in this list`);
  }
}

/** Each metric is a query on the events of all visitors of the test. */
function reportTooManyMetrics(
  entry: Given,
  { goals, guardrails }: Outcomes,
  path: string,
  report: Report,
): void {
  const count = [...goals, ...guardrails].filter((outcome) => metricIdOf(outcome) !== undefined).length;
  if (count <= MAX_METRICS_OF_TEST) return;
  const field = entry.goals === undefined ? 'guardrails' : 'goals';
  if (entry[field] === undefined) return;
  report(`${path}/${field}`, `would make ${count} metrics: a test can have at most ${MAX_METRICS_OF_TEST}`);
}

/** Reports an option that a feedback type does not have any more although an outcome uses it. */
export function reportLostOption(
  outcome: TestOutcome | Guardrail,
  { id, options }: Pick<FeedbackType, 'id' | 'options'>,
  path: string,
  user: string,
  report: Report,
): void {
  const feedback = feedbackOutcomeOf(outcome);
  if (feedback?.feedbackType !== id || feedback.option === undefined) return;
  if (!options.includes(feedback.option)) report(path, `must keep "${feedback.option}": ${user} uses it`);
}

/** For messages. */
export function nameOf(outcome: TestOutcome | Guardrail): string {
  const metricId = metricIdOf(outcome);
  if (metricId !== undefined) return `metric "${metricId}"`;
  const feedback = feedbackOutcomeOf(outcome);
  if (feedback === undefined) return `"${goalIdOf(outcome)}"`;
  const { feedbackType, option } = feedback;
  return `feedback "${feedbackType}"${option === undefined ? '' : ` with option "${option}"`}`;
}
