import { DAY_MS } from '@switchyard/core/time';
import type { AcceptedConversion, AcceptedFeedback, AcceptedRequest, Exposure } from '../accepted-request.ts';
import type {
  DayRange,
  GoalSums,
  SplitTestCounts,
  SplitTestFeedbackQuery,
  SplitTestQuery,
  SplitTestSeries,
  ValueSums,
  VariationFeedback,
  VisitorGroup,
} from '../event-store.ts';

/** The input of split test queries, in plain lists. */
export interface NaiveFacts {
  requests: AcceptedRequest[];
  /** Visitor and country of a session. */
  visitorOf(sessionId: string): string | null;
  countryOf(sessionId: string): string | null;
  /** Whether the event has not been erased or expired. */
  isStored(sessionId: string | undefined, at: number): boolean;
}

interface Visitor {
  unit: string;
  shown: Set<string>;
  bot: boolean;
  firstAt: number;
  segments: { at: number; segment: string }[];
}

type Scope = Omit<SplitTestFeedbackQuery, 'messages' | 'until'> & Pick<SplitTestQuery, 'by'>;

type Seen = Omit<Exposure, 'bot'> & { receivedAt: number; bot: boolean };

export const unitOf = (facts: NaiveFacts, sessionId: string) => {
  const visitor = facts.visitorOf(sessionId);
  return visitor === null ? `session ${sessionId}` : `visitor ${visitor}`;
};

export function exposuresOf(facts: NaiveFacts, query: Scope): Seen[] {
  return facts.requests
    .flatMap((request) =>
      request.kind === 'exposures'
        ? request.exposures.map((it) => ({
            ...it,
            receivedAt: request.receivedAt,
            bot: it.bot === true,
          }))
        : [],
    )
    .filter((it) => facts.isStored(it.sessionId, it.at))
    .filter((it) => it.splitTestKey === query.splitTestKey && query.variationKeys.includes(it.variationKey))
    .filter((it) =>
      it.phase === undefined ? it.at >= query.from && it.at < query.to : it.phase === query.phase,
    );
}

export function visitorsOf(facts: NaiveFacts, query: Scope): Visitor[] {
  const visitors = new Map<string, Visitor>();
  for (const it of exposuresOf(facts, query)) {
    const unit = unitOf(facts, it.sessionId);
    const at = Math.min(it.at, it.receivedAt);
    const visitor = visitors.get(unit) ?? {
      unit,
      shown: new Set(),
      bot: false,
      firstAt: Number.POSITIVE_INFINITY,
      segments: [],
    };
    visitors.set(unit, visitor);
    visitor.shown.add(it.variationKey);
    visitor.bot ||= it.bot;
    visitor.firstAt = Math.min(visitor.firstAt, at);
    const segment = attributeOf(facts, it, query.by?.attribute);
    if (segment !== null) visitor.segments.push({ at, segment });
  }
  return [...visitors.values()];
}

/** The attribute of the exposure; for the country, falls back to its session. */
function attributeOf(facts: NaiveFacts, exposure: Seen, attribute: string | undefined): string | null {
  if (attribute === undefined) return null;
  const own: unknown = JSON.parse(exposure.attributes ?? '{}')[attribute];
  if (own !== undefined) return String(own);
  return attribute === 'country' ? facts.countryOf(exposure.sessionId) : null;
}

/** The first known value; of several at the same time, the smallest. */
function segmentOf({ segments }: Visitor): string | null {
  const [first] = segments.toSorted((a, b) => a.at - b.at || (a.segment < b.segment ? -1 : 1));
  return first?.segment ?? null;
}

/** The segments that are counted separately. */
function largestOf(visitors: readonly Visitor[], max: number): (string | null)[] {
  const sizes = new Map<string, number>();
  for (const visitor of visitors) {
    const segment = segmentOf(visitor);
    if (segment === null) continue;
    const isCounted = variationOf(visitor) !== null && !visitor.bot;
    sizes.set(segment, (sizes.get(segment) ?? 0) + (isCounted ? 1 : 0));
  }
  return [...sizes]
    .sort(([left, one], [right, other]) => other - one || (left < right ? -1 : 1))
    .slice(0, max)
    .map(([segment]) => segment);
}

/** The day of the range that a time belongs to. */
function dayIn({ from, to, step }: DayRange, at: number): number {
  if (at < from) return from - DAY_MS;
  const daysBack = Math.floor((to - Math.min(at - (at % DAY_MS), to)) / DAY_MS / step) * step;
  return to - daysBack * DAY_MS;
}

const variationOf = ({ shown }: Visitor) => (shown.size === 1 ? ([...shown][0] as string) : null);

type Conversion = Pick<AcceptedConversion, 'receivedAt' | 'direction' | 'amountMicros'>;

export function conversionsOf(
  facts: NaiveFacts,
  unit: string,
  matches: (it: AcceptedRequest) => boolean,
): Conversion[] {
  return facts.requests.flatMap((it): Conversion[] => {
    if (it.kind !== 'conversion' && it.kind !== 'feedback') return [];
    const { sessionId, receivedAt } = it;
    const isOwn =
      sessionId !== undefined && facts.isStored(sessionId, receivedAt) && unitOf(facts, sessionId) === unit;
    if (!isOwn || !matches(it)) return [];
    return it.kind === 'conversion' ? [it] : [{ receivedAt, direction: 1, amountMicros: 0 }];
  });
}

/** The id of a goal, or of feedback that is counted like one, and which events count for it. */
type CountedGoal = [goalId: string, matches: (it: AcceptedRequest) => boolean];

function goalsOf({ goalIds, feedback = [] }: SplitTestQuery): CountedGoal[] {
  const goals = goalIds.map((id): CountedGoal => [id, (it) => it.kind === 'conversion' && it.goalId === id]);
  const answers = feedback.map(
    ({ goalId, feedbackTypeId: type, option }): CountedGoal => [
      goalId,
      (it) =>
        it.kind === 'feedback' &&
        it.feedbackTypeId === type &&
        (option === undefined || it.option === option),
    ],
  );
  return [...goals, ...answers];
}

export const net = (list: Conversion[]) => ({
  n: list.reduce((sum, it) => sum + it.direction, 0),
  a: list.reduce((sum, it) => sum + it.amountMicros, 0) / 1e6,
});

function addTo(sums: ValueSums, value: number, covariate: number): void {
  sums.sum += value;
  sums.sumSquares += value * value;
  sums.covariateSum += covariate;
  sums.covariateSumSquares += covariate * covariate;
  sums.covariateProduct += value * covariate;
}

const zeroSums = (): ValueSums => ({
  sum: 0,
  sumSquares: 0,
  covariateSum: 0,
  covariateSumSquares: 0,
  covariateProduct: 0,
});

export function naiveCounts(facts: NaiveFacts, query: SplitTestQuery): SplitTestCounts {
  const seen = exposuresOf(facts, query);
  const start = Math.max(query.startedAt, Math.min(...seen.map(({ receivedAt }) => receivedAt)));
  const groups = new Map<string, VisitorGroup>();
  const visitors = visitorsOf(facts, query);
  const largest = largestOf(visitors, query.by?.max ?? 0);
  for (const visitor of visitors) {
    const early = visitor.firstAt < start + query.earlyDays * DAY_MS;
    const other = segmentOf(visitor) !== null && !largest.includes(segmentOf(visitor));
    const segment = other ? null : segmentOf(visitor);
    const key = JSON.stringify([variationOf(visitor), visitor.bot, early, segment, other]);
    const group = groups.get(key) ?? {
      ...{ variationKey: variationOf(visitor), bot: visitor.bot, early, segment, other },
      visitors: 0,
      goals: [],
    };
    groups.set(key, group);
    group.visitors++;
    if (group.variationKey === null) continue;
    for (const goal of goalsOf(query)) addGoal(facts, query, visitor, goal, group.goals);
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

function addGoal(
  facts: NaiveFacts,
  query: SplitTestQuery,
  { unit, firstAt }: Visitor,
  [goalId, matches]: CountedGoal,
  goals: GoalSums[],
): void {
  const since = query.from - query.preDays * DAY_MS;
  const all = conversionsOf(facts, unit, matches).filter(
    ({ receivedAt: at }) => at < query.until && at >= since && at >= firstAt - query.preDays * DAY_MS,
  );
  if (all.length === 0) return;
  const { n, a } = net(all.filter(({ receivedAt }) => receivedAt >= firstAt));
  const before = net(
    all.filter(({ receivedAt: at }) => at < firstAt && at >= firstAt - query.preDays * DAY_MS),
  );
  let sums = goals.find((it) => it.goalId === goalId);
  if (!sums) {
    sums = {
      goalId,
      converted: 0,
      conversions: zeroSums(),
      amount: zeroSums(),
      convertedAmount: 0,
      convertedCovariate: 0,
    };
    goals.push(sums);
  }
  if ((query.revenueGoalIds?.includes(goalId) && a !== 0 ? a : n) > 0) {
    sums.converted++;
    sums.convertedAmount += a;
    sums.convertedCovariate += before.n;
  }
  addTo(sums.conversions, n, before.n);
  addTo(sums.amount, a, before.a);
}

/** The state at the end of a day, which the running totals of the series must match. */
export function naiveDay(facts: NaiveFacts, query: SplitTestQuery, endOfDay: number) {
  return naiveCounts(
    {
      ...facts,
      requests: facts.requests.filter(
        (it) => (it.kind !== 'conversion' && it.kind !== 'feedback') || it.receivedAt < endOfDay,
      ),
    },
    { ...query, preDays: 0, earlyDays: 0 },
  );
}

export function naiveNewVisitors(facts: NaiveFacts, query: SplitTestQuery): SplitTestSeries['visitors'] {
  const days = new Map<string, SplitTestSeries['visitors'][number]>();
  for (const visitor of visitorsOf(facts, query)) {
    const variationKey = variationOf(visitor);
    if (variationKey === null) continue;
    const at = dayIn(query.days, visitor.firstAt);
    const key = JSON.stringify([at, variationKey, visitor.bot]);
    const day = days.get(key) ?? { at, variationKey, bot: visitor.bot, visitors: 0 };
    days.set(key, day);
    day.visitors++;
  }
  return [...days.values()];
}

export function naiveFeedback(facts: NaiveFacts, query: SplitTestFeedbackQuery): VariationFeedback[] {
  const visitors = visitorsOf(facts, query);
  const entries = facts.requests.filter(
    (it): it is AcceptedFeedback & { sessionId: string } =>
      it.kind === 'feedback' &&
      it.sessionId !== undefined &&
      it.receivedAt < query.until &&
      facts.isStored(it.sessionId, it.receivedAt),
  );
  return query.variationKeys.map((variationKey) => {
    const own = entries.filter((it) =>
      visitors.some(
        (visitor) =>
          visitor.unit === unitOf(facts, it.sessionId) &&
          variationOf(visitor) === variationKey &&
          !visitor.bot &&
          it.receivedAt >= visitor.firstAt,
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
