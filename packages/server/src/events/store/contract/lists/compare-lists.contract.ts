import { DAY_MS } from '@switchyard/core/time';
import { expect } from 'vitest';
import type { ConversionPageQuery } from '../../conversion-queries.ts';
import type { EventStore, FeedbackEntry } from '../../event-store.ts';
import type { FeedbackFilter, FeedbackSummary } from '../../feedback-queries.ts';
import type { TimelineCursor } from '../../page.ts';
import type { ExposedSessions, SessionConditions } from '../../session-conditions.ts';
import type { NaiveEventStore, NaiveSession } from '../naive-event-store.contract.ts';
import { unitOf } from '../naive-visitors.contract.ts';
import { T0 } from '../random-requests.contract.ts';
import { naiveExposedSessions, naiveFirstExposures } from '../sessions/naive-exposed-sessions.contract.ts';
import { pageOf } from '../traffic/naive-traffic.contract.ts';
import { pagesOf } from './pages-of.contract.ts';

const PHASE: ExposedSessions = {
  splitTestKey: 'hero',
  variationKeys: ['a', 'b'],
  phase: 1,
  from: 0,
  to: T0 + 10 * DAY_MS,
  endsAt: T0 + 10 * DAY_MS,
  until: T0 + 20 * DAY_MS,
  hasEarlierPhases: false,
  hasLaterPhases: true,
};
const SIGNUP = { goalId: 'signup', isRevenue: false };
const REVENUE = { goalId: 'revenue', isRevenue: true };

export const SESSION_CONDITIONS: readonly SessionConditions[] = [
  { country: 'DE' },
  { country: null },
  { country: 'none' },
  { browser: 'browser 1', device: 'desktop' },
  { os: null },
  { os: 'Linux', bot: false },
  { bot: true },
  { page: '/pricing' },
  { page: null },
  { page: '/', country: 'FR' },
  { hasFeedback: true },
  { hasFeedback: false },
  { feedbackTypeId: 'nps' },
  { feedbackTypeId: 'bug', hasFeedback: false },
  { exposed: PHASE },
  { exposed: { ...PHASE, phase: 2, from: T0, hasEarlierPhases: true, variationKey: 'b' } },
  { exposed: { ...PHASE, multipleVariations: true } },
  { exposed: { ...PHASE, multipleVariations: false, variationKey: 'a' } },
  { exposed: { ...PHASE, converted: { ...SIGNUP, value: true } } },
  { exposed: { ...PHASE, unit: 'user', converted: { ...SIGNUP, value: true } } },
  { exposed: { ...PHASE, unit: 'user', multipleVariations: true } },
  { exposed: { ...PHASE, converted: { ...SIGNUP, value: false } }, bot: false },
  { exposed: { ...PHASE, splitTestKey: 'price', converted: { ...REVENUE, value: true } } },
  { exposed: { ...PHASE, converted: { ...REVENUE, goalId: 'none', value: false } } },
];

/** Part of the filters: all of them, every time, would take minutes. */
function nextFilters<T>(filters: readonly T[]): T[] {
  round++;
  return filters.filter((_, index) => index % ROUNDS === round % ROUNDS);
}
/** Has no common factor with the number of calls per comparison, so that every list gets all its filters. */
const ROUNDS = 7;
let round = 0;

export async function compareSessionConditions(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  limit: number,
): Promise<void> {
  const all = model.sessions(propertyId).map((it) => model.session(propertyId, it.sessionId) as NaiveSession);
  // Few pages: small ones are compared without these conditions.
  const size = limit + 3;
  for (const conditions of nextFilters(SESSION_CONDITIONS)) {
    const listed = await pagesOf(size, (after) =>
      store.sessionPage({ propertyId, limit: size, ...conditions, ...after }),
    );
    const exposed = conditions.exposed && naiveExposedSessions(model.facts(propertyId), conditions.exposed);
    const expected = all.filter((it) => meets(it, conditions) && exposed?.has(it.sessionId) !== false);
    expect(
      listed.map(({ sessionId, bot }) => [sessionId, bot]),
      JSON.stringify(conditions),
    ).toEqual(expected.map(({ sessionId, bot }) => [sessionId, bot]));
  }
}

function meets(it: NaiveSession, conditions: SessionConditions): boolean {
  const { bot, page, feedbackTypeId, hasFeedback = feedbackTypeId !== undefined || undefined } = conditions;
  const known = (value: string | null) => (value === 'unknown' ? null : value);
  const answers = it.timeline.filter(
    (line) =>
      line.type === 'feedback' && (feedbackTypeId === undefined || line.feedbackTypeId === feedbackTypeId),
  );
  return (
    (['country', 'device', 'browser', 'os'] as const).every(
      (name) => conditions[name] === undefined || conditions[name] === known(it[name]),
    ) &&
    (bot === undefined || it.bot === bot) &&
    (page === undefined ||
      it.timeline.some((line) => line.type === 'pageview' && pageOf(line.url) === page)) &&
    (hasFeedback === undefined || answers.length > 0 === hasFeedback)
  );
}

export const FEEDBACK_FILTERS: readonly Omit<FeedbackFilter, 'propertyId'>[] = [
  {},
  { hasMessage: true, feedbackTypeId: 'nps' },
  { hasMessage: false },
  { search: 'GREAT' },
  { search: 'ärg', from: T0 },
  { visitorId: 'v1' },
  { bot: true },
  { bot: false, feedbackTypeId: 'nps' },
  { userId: 'u1' },
  { splitTestKey: 'hero' },
  { splitTestKey: 'price', variationKey: 'b', option: 'good' },
  { splitTestKey: 'hero', variationKey: 'none' },
];

export async function compareFeedbackFilters(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  limit: number,
): Promise<void> {
  const all = model.feedback(propertyId);
  const filters = [
    ...FEEDBACK_FILTERS,
    { exceptIds: [] },
    { search: 'great', exceptIds: ['unknown', ...all.slice(1).map(({ id }) => id)] },
  ];
  for (const filter of nextFilters(filters)) {
    const expected = all.filter((it) => includes(model, propertyId, filter, it));
    const listed = await pagesOf(limit, (after) =>
      store.feedbackPage({ propertyId, limit, ...filter, ...after }),
    );
    expect(listed, JSON.stringify(filter)).toEqual(expected);
    expect(await store.feedbackCount({ propertyId, ...filter })).toBe(expected.length);
    const summary = await store.feedbackSummary({
      propertyId,
      ...filter,
      interval: 'day',
      timeZone: 'UTC',
    });
    expect(inOrder(summary)).toEqual(inOrder(summaryOf(expected)));
  }
}

function includes(
  model: NaiveEventStore,
  propertyId: string,
  filter: Omit<FeedbackFilter, 'propertyId'>,
  it: FeedbackEntry,
): boolean {
  const { from = 0, feedbackTypeId, option, hasMessage, search, visitorId, splitTestKey } = filter;
  const facts = model.facts(propertyId);
  const isExposed = () => {
    if (splitTestKey === undefined) return true;
    const firstExposures = naiveFirstExposures(facts, splitTestKey, filter.variationKey);
    const exposedAt = it.sessionId === null ? undefined : firstExposures.get(unitOf(facts, it.sessionId));
    return exposedAt !== undefined && it.createdAt >= exposedAt;
  };
  return (
    it.createdAt >= from &&
    (feedbackTypeId === undefined || it.feedbackTypeId === feedbackTypeId) &&
    (option === undefined || it.option === option) &&
    (hasMessage === undefined || (it.message !== null) === hasMessage) &&
    (search === undefined || it.message?.toLowerCase().includes(search.toLowerCase()) === true) &&
    (visitorId === undefined || it.visitorId === visitorId) &&
    (filter.bot === undefined || it.bot === filter.bot) &&
    (filter.userId === undefined || it.userId === filter.userId) &&
    filter.exceptIds?.includes(it.id) !== true &&
    isExposed()
  );
}

function summaryOf(entries: readonly FeedbackEntry[]): FeedbackSummary {
  const groups = <T>(list: readonly T[], keyOf: (it: T) => string) =>
    [...new Set(list.map(keyOf))].map((key) => list.filter((it) => keyOf(it) === key) as [T, ...T[]]);
  const withMessage = (list: readonly FeedbackEntry[]) =>
    list.filter(({ message }) => message !== null).length;
  const chosen = groups(
    entries.filter(({ option }) => option !== null),
    ({ feedbackTypeId, option }) => JSON.stringify([feedbackTypeId, option]),
  );
  const dayOf = ({ createdAt }: FeedbackEntry) => createdAt - (createdAt % DAY_MS);
  return {
    total: entries.length,
    withMessage: withMessage(entries),
    types: groups(entries, ({ feedbackTypeId }) => feedbackTypeId).map((own) => ({
      feedbackTypeId: own[0].feedbackTypeId,
      total: own.length,
      withMessage: withMessage(own),
    })),
    options: chosen.map((own) => ({
      feedbackTypeId: own[0].feedbackTypeId,
      option: own[0].option!,
      count: own.length,
    })),
    series: groups(entries, (it) => String(dayOf(it))).map((own) => ({
      at: dayOf(own[0]),
      total: own.length,
      counts: chosen.map((entriesOfOption) => entriesOfOption.filter((it) => own.includes(it)).length),
    })),
  };
}

/** Counts by name: types and options with equally many entries may come in any order. */
export function inOrder({ types, options, series, ...rest }: FeedbackSummary) {
  const names = options.map(({ feedbackTypeId, option }) => `${feedbackTypeId}: ${option}`);
  const byName = (counts: readonly number[]) =>
    Object.fromEntries(counts.map((count, index) => [names[index], count]));
  return {
    ...rest,
    types: Object.fromEntries(types.map((it) => [it.feedbackTypeId, it])),
    options: byName(options.map(({ count }) => count)),
    series: series
      .map(({ counts, ...bucket }) => ({ ...bucket, counts: byName(counts) }))
      .sort((a, b) => a.at - b.at),
  };
}

const CONVERSION_FILTERS: readonly Omit<ConversionPageQuery, 'propertyId' | 'limit'>[] = [
  {},
  { goalId: 'signup' },
  { goalId: 'revenue', direction: -1 },
  { direction: 1, from: T0 + 15, to: T0 + 150 },
  { goalId: 'none' },
  { bot: true },
  { bot: false, goalId: 'signup' },
  { visitorId: 'v1' },
  { userId: 'u1', direction: 1 },
  { sessionId: 's1' },
];

export async function compareConversions(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  limit: number,
): Promise<void> {
  for (const filter of nextFilters(CONVERSION_FILTERS)) {
    const listed = await pagesOf(limit, (after: { after?: TimelineCursor }) =>
      store.conversionPage({ propertyId, limit, ...filter, ...after }),
    );
    const { goalId, direction, from = 0, to = Number.POSITIVE_INFINITY } = filter;
    const expected = model
      .conversions(propertyId)
      .filter(
        (it) =>
          it.at >= from &&
          it.at < to &&
          (goalId === undefined || it.goalId === goalId) &&
          (direction === undefined || it.direction === direction) &&
          (filter.bot === undefined || it.bot === filter.bot) &&
          (['sessionId', 'visitorId', 'userId'] as const).every(
            (name) => filter[name] === undefined || filter[name] === it[name],
          ),
      );
    expect(listed.map(({ source: _source, ordinal: _ordinal, ...it }) => it)).toEqual(expected);
    expect(new Set(listed.map(({ source, ordinal }) => `${source}/${ordinal}`)).size).toBe(listed.length);
  }
}
