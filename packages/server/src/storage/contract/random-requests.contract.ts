import fc from 'fast-check';
import type { AcceptedRequest } from '../accepted-request.ts';

/** Events are received from this moment on. */
export const T0 = Date.UTC(2025, 10, 12, 10, 30);

const sessionId = fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6');
const url = fc.constantFrom('/', '/pricing', '/buy');
const offset = fc.integer({ min: -40, max: 15 });
const option = fc.constantFrom('good', 'bad');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const collectedEvent = fc.record({
  type: fc.constantFrom('pageview' as const, 'event' as const, 'identify' as const),
  at: offset,
  url: optional(url),
  referrer: optional(fc.constantFrom('', 'https://a.example', 'https://b.example')),
});

const seenExposure = fc.record({
  splitTestKey: fc.constantFrom('hero', 'price'),
  variationKey: fc.constantFrom('a', 'b'),
  sessionId,
  at: offset,
  phase: optional(fc.constantFrom(1, 2)),
  bot: optional(fc.constant(true as const)),
  attributes: optional(fc.constantFrom('{"plan":"a"}', '{"plan":"b"}', '{"plan":3,"country":"IT"}', '{}')),
});

const payload = fc.oneof(
  fc.record({
    kind: fc.constant('exposures' as const),
    exposures: fc.array(seenExposure, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('conversion' as const),
    goalId: fc.constantFrom('signup', 'revenue'),
    sessionId: optional(sessionId),
    direction: fc.constantFrom(1 as const, -1 as const),
    micros: fc.nat(5_000_000),
  }),
  fc.record({
    kind: fc.constant('feedback' as const),
    feedbackTypeId: fc.constantFrom('nps', 'bug'),
    sessionId: optional(sessionId),
    option: optional(option),
  }),
  fc.record({
    kind: fc.constant('collect' as const),
    sessionId,
    visitorId: fc.constantFrom('v1', 'v2', 'v3'),
    userId: optional(fc.constantFrom('u1', 'u2')),
    attributes: optional(fc.constantFrom('{"n":1}', '{"n":2}')),
    country: optional(fc.constantFrom('DE', 'FR')),
    events: fc.array(collectedEvent, { maxLength: 3 }),
  }),
);

/** Mostly a moment, now and then weeks. */
const delay = fc.oneof(
  { weight: 8, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: fc.integer({ min: 1000, max: 40 * 86_400_000 }) },
);

const propertyId = fc.constantFrom('one', 'two');

const delayed = fc.record({ delay, propertyId, payload });

const forgotten = fc.oneof(
  fc.record({ visitorId: fc.constantFrom('v1', 'v2') }),
  fc.record({ userId: fc.constantFrom('u1', 'u2') }),
  fc.record({ sessionId }),
);

/** Batches of requests in the order of their receipt, whom to forget, and how far back to expire. */
export const randomScenario = fc
  .record({
    batches: fc.array(fc.array(delayed, { maxLength: 8 }), { minLength: 1, maxLength: 5 }),
    forgotten: fc.array(fc.record({ propertyId, person: forgotten }), { minLength: 1, maxLength: 3 }),
    age: fc.nat(120),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ batches, age, ...rest }) => {
    let now = T0;
    let number = 0;
    const requests = batches.map((batch) =>
      batch.map((it) => {
        now += it.delay;
        return requestOf(it.payload, it.propertyId, now, ++number);
      }),
    );
    return { batches: requests, expiry: now - age, ...rest };
  });

type Payload = typeof payload extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf(given: Payload, propertyId: string, receivedAt: number, number: number): AcceptedRequest {
  const base = { propertyId, receivedAt };
  const late = <T extends { at: number }>(it: T): T => ({ ...it, at: receivedAt + it.at });
  if (given.kind === 'exposures')
    return { ...base, ...present(given), exposures: given.exposures.map((it) => late(present(it))) };
  if (given.kind === 'feedback') return { ...base, ...present(given), id: `f${number}` };
  if (given.kind === 'conversion') {
    const { micros, ...it } = present(given);
    return { ...base, ...it, amountMicros: it.direction === 1 ? micros : 0 - micros };
  }
  const client = { device: 'desktop', browser: `browser ${number % 2}`, os: 'Linux' };
  return { ...base, ...client, ...present(given), events: given.events.map((it) => late(present(it))) };
}

function present<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
