import { expect } from 'vitest';
import { ERASURES_SOURCE, type EventStore, type Positions } from '../event-store.ts';
import type { Page } from '../page.ts';
import type { SessionSummary } from '../session-summary.ts';
import type { SplitTestSeries } from '../split-test-queries.ts';
import { withoutTies } from './expect-to-agree.contract.ts';
import { inOrder } from './lists/compare-lists.contract.ts';
import { comparable } from './metrics/compare-metrics.contract.ts';
import { rowsOf } from './sessions/describe-session-contexts.contract.ts';
import { byOption, ordered } from './split-tests/compare-split-tests.contract.ts';
import { listed } from './traffic/describe-traffic.contract.ts';

/** The members of the port that answer something. */
export type Question = Exclude<
  keyof EventStore,
  | 'repeatsBatches'
  | 'append'
  | 'countAhead'
  | 'removeRemains'
  | 'setRetention'
  | 'verify'
  | 'holdFiles'
  | 'releaseFiles'
  | 'ping'
  | 'close'
>;

type Answer<Name extends Question> = Awaited<ReturnType<EventStore[Name]>>;
type Comparable = { [Name in Question]: (answer: Answer<Name>) => unknown };

const asItIs = (answer: unknown) => answer;
const text = (value: unknown) =>
  JSON.stringify(value, (_, it: unknown) => (typeof it === 'bigint' ? `${it}` : it));
const inAnyOrder = (answer: readonly object[] | undefined) =>
  answer?.map((it) => text(Object.entries(it).sort())).sort();

/** What two engines must agree on: not the order where the port says "in any order", nor the last digits of fractions. */
const COMPARABLE: Comparable = {
  watermark: asItIs,
  positions: ({ [ERASURES_SOURCE]: _, ...rest }: Positions) => rest,
  sessionPage: ({ rows, next }: Page<SessionSummary>) => ({ rows: rows.map(withoutTies), next }),
  session: (answer) => answer && withoutTies(answer),
  sessionIdentity: asItIs,
  goalTotals: asItIs,
  goalSeries: asItIs,
  conversionPage: asItIs,
  feedbackPage: asItIs,
  feedbackCount: asItIs,
  feedbackSummary: inOrder,
  eventCount: asItIs,
  feedbackTimes: inAnyOrder,
  newFeedback: asItIs,
  splitTestCounts: ordered,
  splitTestSeries: ({ visitors, goals }: SplitTestSeries) => ({
    visitors: inAnyOrder(visitors),
    goals: inAnyOrder(goals.map(rounded)),
  }),
  splitTestEntry: asItIs,
  splitTestFeedback: (answer) => answer.map(byOption),
  splitTestMetrics: comparable,
  goalBaseline: rounded,
  metricBaseline: rounded,
  trafficCounts: listed,
  trafficBreakdown: asItIs,
  liveVisitors: asItIs,
  parameterValues: asItIs,
  receivedTimes: asItIs,
  assignmentCounts: rounded,
  sessionContexts: (answer) => ({ share: answer.share, rows: rowsOf(answer) }),
  knownSessions: inAnyOrder,
  collectedSessions: inAnyOrder,
  exportEntries: asItIs,
  checksums: inAnyOrder,
  subjectContents: asItIs,
  subjectSessions: asItIs,
  subjectVisitors: asItIs,
  forget: asItIs,
  expire: asItIs,
};

export const QUESTIONS = Object.keys(COMPARABLE) as Question[];

function rounded<T>(value: T): T {
  if (typeof value === 'number') return (Number(value.toPrecision(11)) + 0) as T;
  if (Array.isArray(value)) return value.map(rounded) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, rounded(it)])) as T;
}

/**
 * A store that asks two others every question, compares their answers, and returns the first one's. Whatever it is
 * asked to store, both store.
 *
 * @param asked gets the names of the questions
 */
export function agreeingStores(one: EventStore, other: EventStore, asked: Set<Question>): EventStore {
  const ask = async (name: Question, input: never[]) => {
    asked.add(name);
    const answerOf = (store: EventStore) => (store[name] as (...input: never[]) => Promise<never>)(...input);
    const [answer, expected] = await Promise.all([answerOf(one), answerOf(other)]);
    const compare = COMPARABLE[name] as (answer: never) => unknown;
    expect(compare(answer), `${name}(${input.map(text).join(', ')})`).toEqual(compare(expected));
    return answer;
  };
  const questions = QUESTIONS.map((name) => [name, (...input: never[]) => ask(name, input)]);
  return {
    ...(Object.fromEntries(questions) as Pick<EventStore, Question>),
    repeatsBatches: one.repeatsBatches,
    append: (...input) => both((store) => store.append(...input)),
    countAhead: (query) => both((store) => store.countAhead(query)),
    removeRemains: (now) => one.removeRemains(now),
    setRetention: (days) => both((store) => store.setRetention(days)),
    verify: (pause) => both((store) => store.verify(pause)),
    holdFiles: () => one.holdFiles(),
    releaseFiles: () => one.releaseFiles(),
    ping: () => both((store) => store.ping()),
    close: () => both((store) => store.close()),
  };

  async function both(act: (store: EventStore) => Promise<void>): Promise<void> {
    await Promise.all([one, other].map(act));
  }
}
