import { DAY_MS } from '@switchyard/core/time';
import type {
  AcceptedCollect,
  AcceptedConversion,
  AcceptedFeedback,
  AcceptedRequest,
  CollectedEvent,
  Exposure,
} from '../accepted-request.ts';
import type { SplitTestQuery } from '../split-test-queries.ts';

export const exposures = (propertyId: string, receivedAt: number, list: Exposure[]): AcceptedRequest => ({
  kind: 'exposures',
  propertyId,
  receivedAt,
  exposures: list,
});

export const exposure = (sessionId: string, at: number): Exposure => ({
  splitTestKey: 'hero',
  variationKey: 'a',
  sessionId,
  at,
});

const FAR_FUTURE = 8_000_000_000_000;

/** A query over all time. */
export const splitTestQuery = (
  overrides: Partial<SplitTestQuery> & { propertyId: string },
): SplitTestQuery => ({
  splitTestKey: 'hero',
  variationKeys: ['a'],
  phase: 1,
  from: 0,
  to: FAR_FUTURE,
  startedAt: 0,
  endsAt: FAR_FUTURE,
  until: FAR_FUTURE,
  hasEarlierPhases: false,
  hasLaterPhases: false,
  days: { from: 0, to: FAR_FUTURE - (FAR_FUTURE % DAY_MS), step: 1 },
  goalIds: [],
  preDays: 0,
  earlyDays: 0,
  ...overrides,
});

type Overrides<T> = Partial<T> & { propertyId: string; receivedAt: number };

export const goal = (overrides: Overrides<AcceptedConversion>): AcceptedRequest => ({
  kind: 'conversion',
  goalId: 'signup',
  direction: 1,
  amountMicros: 0,
  ...overrides,
});

let entries = 0;

export const entry = (overrides: Overrides<AcceptedFeedback>): AcceptedRequest => ({
  kind: 'feedback',
  id: `entry-${++entries}`,
  feedbackTypeId: 'nps',
  ...overrides,
});

export const collect = (
  overrides: Overrides<AcceptedCollect>,
  events: CollectedEvent[] = [],
): AcceptedRequest => ({
  kind: 'collect',
  sessionId: 's',
  visitorId: 'v',
  device: 'desktop',
  browser: 'Firefox',
  os: 'Linux',
  ...overrides,
  events,
});
