import type {
  AcceptedCollect,
  AcceptedConversion,
  AcceptedFeedback,
  AcceptedRequest,
  CollectedEvent,
  Exposure,
} from '../accepted-request.ts';

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
