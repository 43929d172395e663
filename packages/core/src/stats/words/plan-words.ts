import type { ReportMetric } from '../report/report-input.ts';
import { count, percent, plural, quote, type Unit, values } from './numbers.ts';

export interface PlanFacts {
  readonly goal: string;
  readonly historyDays: number;
  readonly visitors: number;
  readonly converted: number;
  readonly smallestEffect: number;
  readonly variations: number;
  readonly power: number;
  /** Null if there is not enough data. */
  readonly plan: { readonly visitors: number; readonly days: number | null } | null;
  /** Whether the test may stop early. */
  readonly canStopEarly: boolean;
  readonly guardrails?: readonly GuardrailPlan[] | undefined;
  /** Share of the visitors; omitted if all visitors may take part. */
  readonly audienceShare?: number | undefined;
  /** Of a metric; omitted for goals. */
  readonly measured?: MeasuredFacts | undefined;
}

/** What is said of a metric. */
export interface MeasuredFacts {
  /** Null without data. */
  readonly value: number | null;
  /** The share of visitors who reached it. */
  readonly isShare: boolean;
  readonly format: ReportMetric['format'];
  /** Visitors whose window is not over. */
  readonly pending: number;
  /** Null: until the end of the phase. */
  readonly withinDays: number | null;
  readonly currency: string;
}

interface GuardrailPlan {
  readonly name: string;
  readonly maxHarm: number;
  /** Null if there is not enough data. */
  readonly visitors: number | null;
  readonly days: number | null;
}

/** Describes how long a test takes, and what that is based on. */
export function describePlan(facts: PlanFacts): string {
  const { converted, plan, measured } = facts;
  const base = `${describeHistory(facts)}${describeAudience(facts)}`;
  if (plan === null) {
    return converted === 0 || (measured && !measured.isShare)
      ? `${base} That is not enough data for a plan: wait for more conversions.`
      : `${base} A change of ${percent(facts.smallestEffect)} cannot be planned: more than everybody would have to convert.`;
  }
  const time = plan.days === null ? '' : `, about ${plural(plan.days, 'day')} at this traffic`;
  return `${base} A test with ${facts.variations} variations needs ${count(plan.visitors)} visitors${time}${describeWindow(measured)}, to find a change of ${percent(facts.smallestEffect)} or more in ${percent(facts.power)} of the cases.${describeEnd(facts)}${describeGuardrails(facts)}`;
}

function describeHistory({ goal, historyDays, visitors, converted, measured }: PlanFacts): string {
  const period = `In the last ${historyDays === 1 ? 'day' : plural(historyDays, 'day')}`;
  if (measured === undefined || measured.isShare || measured.value === null) {
    return `${period}, ${count(converted)} of ${plural(visitors, 'visitor')} reached ${quote(goal)}${describePending(measured)}.`;
  }
  return `${period}, ${quote(goal)} was ${valueWords(measured)}, over ${plural(visitors, 'visitor')}${describePending(measured)}.`;
}

const describePending = (measured: MeasuredFacts | undefined) =>
  measured && measured.pending > 0
    ? `; ${plural(measured.pending, 'visitor')} whose time is not over ${measured.pending === 1 ? 'is' : 'are'} left out`
    : '';

/** The last visitors are followed too. */
const describeWindow = (measured: MeasuredFacts | undefined) =>
  measured?.withinDays
    ? `, the last ${plural(measured.withinDays, 'day')} of which only follow visitors`
    : '';

const UNITS: Readonly<Record<ReportMetric['format'], Unit>> = {
  percent: 'rate',
  money: 'dollars',
  seconds: 'seconds',
  number: 'number',
};

const valueWords = ({ value, format, currency }: MeasuredFacts) =>
  value === null ? 'unknown' : values(value, value, UNITS[format], currency)[0];

export interface PreviewFacts {
  readonly measured: MeasuredFacts;
  readonly days: number;
  readonly visitors: number;
  /** Relative change that a test is planned for. */
  readonly smallestEffect: number;
  /** Days that it needs; null if there is not enough data. */
  readonly plannedDays: number | null;
  readonly testDays: number;
  /** What a test of `testDays` finds; null if nothing that is reasonable. */
  readonly detectable: number | null;
}

/** Such as "Last 30 days: 3.2 % of 12,400 visitors. A test with two variations finds a change of ±10 % after about 14 days." */
export function describePreview(facts: PreviewFacts): string {
  const { measured, days, visitors, plannedDays, testDays, detectable } = facts;
  const noun = measured.isShare ? ' of ' : ', over ';
  const pending = describePending(measured);
  const base =
    measured.value === null
      ? `Last ${plural(days, 'day')}: no values, of ${plural(visitors, 'visitor')}${pending}.`
      : `Last ${plural(days, 'day')}: ${valueWords(measured)}${noun}${plural(visitors, 'visitor')}${pending}.`;
  if (plannedDays === null && detectable === null) {
    return measured.isShare && measured.value === 1
      ? `${base} No test can find a change of that.`
      : `${base} That is not enough data to plan a test.`;
  }
  const found = [
    ...(plannedDays === null
      ? []
      : [`a change of ±${percent(facts.smallestEffect)} after about ${plural(plannedDays, 'day')}`]),
    ...(detectable === null
      ? []
      : [
          `${plannedDays === null ? 'a change' : 'one'} of ±${percent(detectable)} after ${plural(testDays, 'day')}`,
        ]),
  ];
  return `${base} A test with two variations finds ${found.join(', or ')}.`;
}

function describeAudience({ audienceShare: share }: PlanFacts): string {
  if (share === undefined) return '';
  return ` ${share === 0 ? 'None' : percent(share)} of the visitors belong to the audience.`;
}

/** Those that need more than the test itself: the others are decided by then. */
function describeGuardrails({ guardrails = [], plan }: PlanFacts): string {
  return guardrails
    .filter(({ visitors }) => visitors === null || visitors > plan!.visitors)
    .map(({ name, maxHarm, visitors, days }) => {
      const harm = `harm beyond ${percent(maxHarm)}`;
      if (visitors === null) return ` There is no data on the guardrail ${quote(name)} to plan with.`;
      const time = days === null ? '' : `, about ${plural(days, 'day')}`;
      return ` To exclude ${harm}, the guardrail ${quote(name)} needs ${count(visitors)} visitors${time}.`;
    })
    .join('');
}

const describeEnd = ({ canStopEarly }: PlanFacts) =>
  canStopEarly ? ' A larger change ends the test earlier.' : '';
