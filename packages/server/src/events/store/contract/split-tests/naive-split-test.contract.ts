import { DAY_MS } from '@switchyard/core/time';
import type { AcceptedFeedback } from '../../accepted-request.ts';
import type {
  DayRange,
  SplitTestCounts,
  SplitTestEntryQuery,
  SplitTestFeedbackQuery,
  SplitTestQuery,
  SplitTestSeries,
  VariationFeedback,
  VisitorGroup,
} from '../../split-test-queries.ts';
import { naiveLocal } from '../goals/naive-buckets.contract.ts';
import {
  exposuresOf,
  isCounted,
  isInWindow,
  type NaiveFacts,
  type Seen,
  unitOf,
  type Visitor,
  visitorsOf,
} from '../naive-visitors.contract.ts';
import { NaiveOutcomes } from './naive-outcomes.contract.ts';

/** The segments that are counted separately. */
function largestOf(visitors: readonly Visitor[], max: number): (string | null)[] {
  const sizes = new Map<string, number>();
  for (const visitor of visitors) {
    const { segment, bot } = visitor;
    if (segment === null) continue;
    sizes.set(segment, (sizes.get(segment) ?? 0) + (isCounted(visitor) && !bot ? 1 : 0));
  }
  return [...sizes]
    .sort(([left, one], [right, other]) => other - one || (left < right ? -1 : 1))
    .slice(0, max)
    .map(([segment]) => segment);
}

/** The day of the range that a time belongs to. */
function dayIn({ from, to, step, timeZone = 'UTC' }: DayRange, time: number): number {
  const at = naiveLocal(timeZone, time);
  if (at < from) return from - DAY_MS;
  const daysBack = Math.floor((to - Math.min(at - (at % DAY_MS), to)) / DAY_MS / step) * step;
  return to - daysBack * DAY_MS;
}

export function naiveCounts(facts: NaiveFacts, query: SplitTestQuery): SplitTestCounts {
  const seen = exposuresOf(facts, query);
  const start = Math.max(query.startedAt, Math.min(...seen.map(({ receivedAt }) => receivedAt)));
  const groups = new Map<string, VisitorGroup>();
  const visitors = visitorsOf(facts, query);
  const outcomes = new NaiveOutcomes(facts, query, visitors);
  const largest = largestOf(visitors, query.by?.max ?? 0);
  for (const visitor of visitors) {
    const { variationKey, firstVariationKey, moved, returning, bot } = visitor;
    const other = visitor.segment !== null && !largest.includes(visitor.segment);
    const kind = {
      variationKey,
      firstVariationKey,
      moved,
      returning,
      bot,
      early: visitor.firstAt < start + query.earlyDays * DAY_MS,
      segment: other ? null : visitor.segment,
      other,
    };
    const key = JSON.stringify(kind);
    const group: VisitorGroup = groups.get(key) ?? { ...kind, visitors: 0, before: null, goals: [] };
    groups.set(key, group);
    group.visitors++;
    outcomes.addTo(group, visitor);
  }
  return { exposures: exposuresByDay(seen, query), groups: [...groups.values()] };
}

function exposuresByDay(seen: readonly Seen[], query: SplitTestQuery): SplitTestCounts['exposures'] {
  const counts = new Map<string, SplitTestCounts['exposures'][number]>();
  for (const { at, variationKey, bot } of seen) {
    const day = dayIn(query.days, at);
    const key = JSON.stringify([day, variationKey, bot]);
    const count = counts.get(key) ?? { at: day, variationKey, bot, exposures: 0 };
    counts.set(key, count);
    count.exposures++;
  }
  return [...counts.values()];
}

/** The state at the end of a day, which the running totals of the series must match. */
export function naiveDay(facts: NaiveFacts, query: SplitTestQuery, endOfDay: number) {
  const { winsorize: _winsorize, by: _by, ...plain } = query;
  return naiveCounts(
    {
      ...facts,
      requests: facts.requests.filter(
        (it) => (it.kind !== 'conversion' && it.kind !== 'feedback') || it.receivedAt < endOfDay,
      ),
    },
    { ...plain, preDays: 0, earlyDays: 0 },
  );
}

export function naiveNewVisitors(facts: NaiveFacts, query: SplitTestQuery): SplitTestSeries['visitors'] {
  const days = new Map<string, SplitTestSeries['visitors'][number]>();
  for (const visitor of visitorsOf(facts, query).filter(isCounted)) {
    const { bot, firstVariationKey: variationKey } = visitor;
    const at = dayIn(query.days, visitor.firstAt);
    const key = JSON.stringify([at, variationKey, bot]);
    const day = days.get(key) ?? { at, variationKey, bot, visitors: 0 };
    days.set(key, day);
    day.visitors++;
  }
  return [...days.values()];
}

export function naiveEntry(
  facts: NaiveFacts,
  { among, ...query }: SplitTestEntryQuery,
  number: number,
): number | undefined {
  return visitorsOf(facts, query)
    .filter((it) => isCounted(it) && !it.bot)
    .filter(({ variationKey }) => among?.includes(variationKey!) ?? true)
    .map(({ firstAt }) => firstAt)
    .sort((a, b) => a - b)[number - 1];
}

export function naiveFeedback(facts: NaiveFacts, query: SplitTestFeedbackQuery): VariationFeedback[] {
  const visitors = visitorsOf(facts, query).filter((it) => isCounted(it) && !it.bot);
  const entries = facts.requests.filter(
    (it): it is AcceptedFeedback & { sessionId: string } =>
      it.kind === 'feedback' && it.sessionId !== undefined,
  );
  return query.variationKeys.map((variationKey) => {
    const own = entries.filter((it) =>
      visitors.some(
        (visitor) =>
          visitor.unit === unitOf(facts, it.sessionId, query.unit) &&
          visitor.variationKey === variationKey &&
          isInWindow(visitor, it.receivedAt, query),
      ),
    );
    const counts = new Map<string, VariationFeedback['options'][number]>();
    for (const { feedbackTypeId, option } of own) {
      if (option === undefined) continue;
      const key = JSON.stringify([feedbackTypeId, option]);
      const entry = counts.get(key) ?? { feedbackTypeId, option, count: 0 };
      counts.set(key, entry);
      entry.count++;
    }
    return { variationKey, options: [...counts.values()], messages: latestMessages(own, query.messages) };
  });
}

function latestMessages(entries: readonly AcceptedFeedback[], limit: number): VariationFeedback['messages'] {
  return entries
    .flatMap(({ message, feedbackTypeId, option = null, receivedAt: createdAt }) =>
      message === undefined ? [] : [{ feedbackTypeId, message, option, createdAt }],
    )
    .sort((a, b) => b.createdAt - a.createdAt || (a.message < b.message ? -1 : 1))
    .slice(0, limit);
}
