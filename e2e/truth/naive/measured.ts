import { type Counted, type CountedValue, DAY_MS, type MetricSetup, MINUTE_MS } from '../history.ts';
import type { PhaseAnalysis } from './analysis.ts';
import { isVisit } from './flags.ts';
import { isCounted, type Participant } from './participants.ts';

/** Counts of metrics are as of the last ten minutes, because windows end without any event. */
const STEP_MS = 10 * MINUTE_MS;
/** Of the interval whose width tells the standard error of a quantile. */
const Z = 1.96;

/** Something that somebody did. */
type Deed = { at: number; sessionId: string } & (
  | { kind: 'view'; path: string }
  | { kind: 'event'; name: string; value: number }
  | { kind: 'goal'; goalId: string; direction: number; micros: number }
  | { kind: 'other' }
);

/** What the results of a test must say about its metrics. */
export function expectedMetrics(analysis: PhaseAnalysis, includeBots: boolean) {
  const { test, setup } = analysis;
  const wanted = setup.metrics.filter(({ id }) => test.metrics?.includes(id));
  if (wanted.length === 0) return [];
  const deeds = deedsOf(analysis);
  // Those who see a later phase are followed no longer, so windows must have ended before it began.
  const { phase, phases } = analysis;
  const end = phase === phases.at(-1) ? Number.POSITIVE_INFINITY : phase.endedAt!;
  const now = Math.min(Math.floor(analysis.now / STEP_MS) * STEP_MS, end);
  const people = analysis.participants.participants.filter((it) => isCounted(it) && (includeBots || !it.bot));
  return wanted.map((metric, index) => ({
    goalId: `metric:${metric.id}`,
    kind: 'metric',
    role: index === 0 && test.goals.length === 0 ? 'primary' : 'secondary',
    measured: analysis.phase.variations.map(({ key }) => {
      const own = people.filter(({ variationKey }) => variationKey === key);
      const over = own.filter(({ firstAt }) => firstAt + (windowOf(metric) ?? 0) <= now);
      const pending = windowOf(metric) === undefined ? 0 : own.length - over.length;
      const counted = pending === 0 ? own : over;
      const did = counted.map((it) => deedsWithin(metric, it, deeds.get(it.unit) ?? []));
      return {
        key,
        pending,
        ...(metric.kind === 'quantile' ? spread(metric, did) : sums(metric, counted, did)),
      };
    }),
  }));
}

function windowOf(metric: MetricSetup): number | undefined {
  if (metric.kind === 'retention') return (metric.toDay + 1) * DAY_MS;
  return metric.withinDays === undefined ? undefined : metric.withinDays * DAY_MS;
}

/** By unit, in order of time; of the same time, in order of arrival. */
function deedsOf({ recorded, participants: { unitOf } }: PhaseAnalysis): Map<string, Deed[]> {
  const all: Deed[] = [];
  for (const { sessionId, pageviews, events, times, receivedAt } of recorded.collects) {
    for (const { at, path } of pageviews) all.push({ kind: 'view', at, sessionId, path });
    for (const { at, name, value } of events) all.push({ kind: 'event', at, sessionId, name, value });
    if (times.length === 0 && isVisit(sessionId)) all.push({ kind: 'other', at: receivedAt, sessionId });
  }
  for (const { seenAt, sessionId } of recorded.exposures) all.push({ kind: 'other', at: seenAt, sessionId });
  for (const { at, sessionId, goalId, direction, micros } of recorded.conversions) {
    if (sessionId !== undefined) all.push({ kind: 'goal', at, sessionId, goalId, direction, micros });
  }
  const units = new Map<string, Deed[]>();
  for (const deed of all.sort((a, b) => a.at - b.at)) {
    const unit = unitOf(deed.sessionId);
    units.set(unit, [...(units.get(unit) ?? []), deed]);
  }
  return units;
}

interface Deeds {
  /** In the time of the visitor. */
  within: Deed[];
  all: readonly Deed[];
}

function deedsWithin(metric: MetricSetup, who: Participant, all: readonly Deed[]): Deeds {
  const window = windowOf(metric);
  const end = window === undefined ? who.outcomeEnds : Math.min(who.firstAt + window, who.leavesAt);
  return { all, within: all.filter(({ at }) => at >= who.firstAt && at < end) };
}

function sums(metric: MetricSetup, people: readonly Participant[], did: readonly Deeds[]) {
  const values = did.map((deeds, index) => valuesOf(metric, people[index]!, deeds));
  const total = (of: (value: Values) => number) => values.reduce((sum, value) => sum + of(value), 0);
  const isRatio = metric.kind === 'ratio' || (metric.kind === 'page' && metric.of === 'bounce');
  return {
    visitors: people.length,
    reached: values.filter(({ value }) => value > 0).length,
    sum: total(({ value }) => value),
    sumSquares: total(({ value }) => value ** 2),
    ...(isRatio && {
      denominatorSum: total(({ other }) => other),
      denominatorSumSquares: total(({ other }) => other ** 2),
      product: total(({ value, other }) => value * other),
    }),
    ...(metric.kind === 'funnel' && {
      steps: metric.steps.map((_, step) => ({ visitors: values.filter(({ steps }) => steps > step).length })),
    }),
  };
}

interface Values {
  value: number;
  /** The denominator. */
  other: number;
  /** Number of steps that were taken. */
  steps: number;
}

function valuesOf(metric: MetricSetup, who: Participant, { within, all }: Deeds): Values {
  const { cap = Number.POSITIVE_INFINITY } = metric;
  const only = (value: number): Values => ({ value, other: 0, steps: 0 });
  switch (metric.kind) {
    case 'count':
      return only(Math.min(cap, amountOf({ goalId: metric.goalId, of: 'count' }, within)));
    case 'sum':
      return only(Math.min(cap, amountOf({ goalId: metric.goalId, of: 'sum' }, within)));
    case 'ratio':
      return {
        ...only(Math.min(cap, amountOf(metric.numerator, within))),
        other: amountOf(metric.denominator, within),
      };
    case 'retention':
      return only(isRetained(metric, who, within) ? 1 : 0);
    case 'funnel': {
      const steps = stepsTaken(metric.steps, within);
      return { ...only(steps === metric.steps.length ? 1 : 0), steps };
    }
    case 'page':
      if (metric.of === 'bounce') return { ...bounces(metric.path, within, all), steps: 0 };
      return only(Math.min(cap, amountOf({ path: metric.path }, within)));
    case 'event':
      return only(Math.min(cap, amountOf({ event: metric.event }, within)));
    case 'quantile':
      throw new Error('has no sums');
  }
}

function amountOf(value: CountedValue, deeds: readonly Deed[]): number {
  if (!('goalId' in value)) return deeds.filter((deed) => isOf(value, deed)).length;
  let [count, micros] = [0, 0];
  for (const deed of deeds) {
    if (deed.kind !== 'goal' || deed.goalId !== value.goalId) continue;
    count += deed.direction;
    micros += deed.direction * deed.micros;
  }
  return value.of === 'count' ? count : micros / 1e6;
}

function isOf(what: Counted, deed: Deed): boolean {
  if ('path' in what) return deed.kind === 'view' && isPath(what.path, deed.path);
  if ('event' in what) return deed.kind === 'event' && deed.name === what.event;
  // A reversal is no step.
  return deed.kind === 'goal' && deed.goalId === what.goalId && deed.direction > 0;
}

function isPath(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.?+^$()[\]{}|\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
}

/** Exposures and what pages collect are visits; conversions, which servers send, are not. */
function isRetained(
  { fromDay, goalId }: MetricSetup & { kind: 'retention' },
  { firstAt }: Participant,
  within: readonly Deed[],
): boolean {
  const later = within.filter(({ at }) => at >= firstAt + fromDay * DAY_MS);
  return later.some((deed) => (goalId === undefined ? deed.kind !== 'goal' : isOf({ goalId }, deed)));
}

/** No event of the truth fits two steps, so each step takes the next event that fits. */
function stepsTaken(steps: readonly Counted[], within: readonly Deed[]): number {
  let [taken, since] = [0, Number.NEGATIVE_INFINITY];
  for (const step of steps) {
    const next = within.find((deed) => deed.at >= since && isOf(step, deed));
    if (next === undefined) return taken;
    taken++;
    since = next.at;
  }
  return taken;
}

/** Sessions that begin with a view of the page, in the time of the visitor, and those of them with a single view. */
function bounces(path: string, within: readonly Deed[], all: readonly Deed[]) {
  let [value, other] = [0, 0];
  for (const sessionId of new Set(within.map((deed) => deed.sessionId))) {
    const viewsIn = (deeds: readonly Deed[]) =>
      deeds.filter((deed) => deed.kind === 'view' && deed.sessionId === sessionId);
    const [entry] = viewsIn(all);
    const views = viewsIn(within);
    if (entry === undefined || !views.includes(entry) || !isOf({ path }, entry)) continue;
    other++;
    if (views.length === 1) value++;
  }
  return { value, other };
}

/** The quantile of all values, and its standard error by visitor. */
function spread(metric: MetricSetup & { kind: 'quantile' }, did: readonly Deeds[]) {
  const lists = did
    .map(({ within }) => within.flatMap((deed) => measured(metric, deed)))
    .filter(({ length }) => length > 0);
  const values = lists.flat().sort((a, b) => a - b);
  const n = values.length;
  if (n === 0) return { visitors: 0, values: 0, value: null, standardError: null };
  const at = (share: number) => values[Math.min(n, Math.max(1, Math.ceil(share * n))) - 1]!;
  const value = at(metric.quantile);
  const known = { visitors: lists.length, values: n, value };
  if (lists.length < 2) return { ...known, standardError: null };
  const isBelow = (each: number) => each <= value;
  const share = values.filter(isBelow).length / n;
  const mean = n / lists.length;
  const residuals = lists.map((list) => list.filter(isBelow).length - share * list.length);
  const variance = residuals.reduce((sum, each) => sum + each ** 2, 0) / (lists.length - 1);
  const margin = (Z * Math.sqrt(variance / lists.length)) / mean;
  const [low, high] = [at(metric.quantile - margin), at(metric.quantile + margin)];
  return { ...known, standardError: (high - low) / (2 * Z) };
}

function measured(metric: MetricSetup & { kind: 'quantile' }, deed: Deed): number[] {
  if ('goalId' in metric) {
    return deed.kind === 'goal' && deed.goalId === metric.goalId && deed.direction > 0
      ? [deed.micros / 1e6]
      : [];
  }
  return deed.kind === 'event' && deed.name === metric.event ? [deed.value] : [];
}
