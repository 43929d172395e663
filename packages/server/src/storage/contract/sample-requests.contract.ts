import { DAY_MS } from '@switchyard/core/time';
import type {
  AcceptedCollect,
  AcceptedConversion,
  AcceptedFeedback,
  AcceptedRequest,
  CollectedEvent,
  Exposure,
} from '../accepted-request.ts';
import type { SplitTestQuery } from '../event-store.ts';

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

const FAR = 8_000_000_000_000;

/** Of whatever was seen, at any time. */
export const splitTestQuery = (given: Partial<SplitTestQuery> & { propertyId: string }): SplitTestQuery => ({
  ...{ splitTestKey: 'hero', variationKeys: ['a'], phase: 1, from: 0, to: FAR, startedAt: 0, until: FAR },
  days: { from: 0, to: FAR - (FAR % DAY_MS), step: 1 },
  ...{ goalIds: [], preDays: 0, earlyDays: 0 },
  ...given,
});

type Given<T> = Partial<T> & { propertyId: string; receivedAt: number };

export const goal = (given: Given<AcceptedConversion>): AcceptedRequest => ({
  kind: 'conversion',
  goalId: 'signup',
  direction: 1,
  amountMicros: 0,
  ...given,
});

export const entry = (given: Given<AcceptedFeedback>): AcceptedRequest => ({
  kind: 'feedback',
  id: 'f',
  feedbackTypeId: 'nps',
  ...given,
});

export const collect = (given: Given<AcceptedCollect>, events: CollectedEvent[] = []): AcceptedRequest => ({
  kind: 'collect',
  sessionId: 's',
  visitorId: 'v',
  device: 'desktop',
  browser: 'Firefox',
  os: 'Linux',
  ...given,
  events,
});
