import type { SplitTestResults } from '@switchyard/core/api/results';
import { plannedFor } from '@switchyard/core/stats/report/report';
import { durationRange } from '@switchyard/core/stats/words/numbers';
import { formatChange, formatCount, formatPercent } from '../../ui/format/format.ts';

type Verdict = NonNullable<SplitTestResults['verdict']>;
type Decision = Verdict['decision'];

/** What somebody has to do about a test: make a decision, look into a problem, or nothing. */
export type Attention = 'decision' | 'problem' | 'none';

const ATTENTION: Record<Decision, Attention> = {
  ship: 'decision',
  'roll-back': 'decision',
  'no-difference': 'decision',
  unhealthy: 'problem',
  'keep-going': 'none',
  collecting: 'none',
};

export function attentionOf(results: SplitTestResults | undefined): Attention {
  const verdict = results && urgentVerdict(results);
  return verdict ? ATTENTION[verdict.decision] : 'none';
}

/** The verdict to act on first: while a test runs, harm cannot wait until another variation has a result. */
export function urgentVerdict({ verdict, verdicts, phase }: SplitTestResults): Verdict | null {
  const isFirst = !verdict || verdict.decision === 'ship' || verdict.decision === 'unhealthy';
  if (isFirst || phase?.endedAt != null) return verdict;
  return verdicts.find(({ decision }) => decision === 'roll-back') ?? verdict;
}

/** A verdict in a few words, such as "Ship b". A paused test neither collects nor keeps going. */
export function decisionWords(
  { decision, reason, variation, collecting, forecast }: Verdict,
  { verdicts, status }: SplitTestResults,
): string {
  if (status === 'paused' && ATTENTION[decision] === 'none') return 'No result yet';
  switch (decision) {
    case 'ship':
      return `Ship ${variation}`;
    case 'roll-back':
      if (verdicts.length === 1) return `Roll back ${variation}`;
      return `Take ${variation} out: it ${reason === 'guardrail' ? 'harms a guardrail' : 'is worse'}`;
    case 'no-difference':
      return 'No difference';
    case 'unhealthy':
      return 'Unhealthy: check the setup';
    case 'collecting':
      return collecting
        ? `Collecting: ${formatCount(collecting.conversions)} of ${formatCount(collecting.required)} conversions`
        : 'Collecting';
    case 'keep-going':
      if (reason === 'open-guardrail') return `${variation} is better, waiting for guardrails`;
      if (!forecast) return 'Keep going';
      return forecast.inSight
        ? `Keep going, probably ${durationRange(forecast.low, forecast.high)}`
        : 'No result in sight';
  }
}

export interface Uplift {
  /** Such as "+25 %". */
  change: string;
  /** Such as "between +2.8 % and +51 %". */
  interval: string;
}

/** The change of the primary goal that a verdict is about. */
export function upliftOf(verdict: Verdict, { goals }: SplitTestResults): Uplift | undefined {
  const metric = goals.find(({ role }) => role === 'primary')?.metrics.find(({ decides }) => decides);
  const variation = metric?.variations.find(({ key }) => key === verdict.variation);
  const effect = variation?.relative;
  if (!effect) return undefined;
  return { change: formatChange(effect.estimate), interval: intervalWords(effect.low, effect.high) };
}

function intervalWords(low: number | null, high: number | null): string {
  if (low !== null && high !== null) return `between ${formatChange(low)} and ${formatChange(high)}`;
  if (low !== null) return `at least ${formatChange(low)}`;
  if (high !== null) return `at most ${formatChange(high)}`;
  return 'interval not known yet';
}

/** Such as "12,400 of 31,000 visitors (40 %)", without those of retired variations. */
export function visitorWords(results: SplitTestResults, plannedVisitors: number | null): string {
  const visitors = results.variations.reduce((sum, each) => sum + (each.retired ? 0 : each.visitors), 0);
  const planned = plannedFor(plannedVisitors, results.variations);
  if (planned === null) return `${formatCount(visitors)} visitors`;
  const share = results.plannedShare ?? visitors / planned;
  return `${formatCount(visitors)} of ${formatCount(planned)} visitors (${formatPercent(share)})`;
}
