import fc from 'fast-check';
import type { AcceptedRequest } from '../accepted-request.ts';

/** Events are received from this moment on. */
export const T0 = Date.UTC(2025, 10, 12, 10, 30);

const sessionId = fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6');
const url = fc.constantFrom(
  '/',
  '/pricing',
  'buy',
  '',
  'https://shop.example',
  'https://shop.example/pricing?utm_source=news&utm_medium=e+mail%21#top',
  '//shop.example/buy#?utm_source=hidden',
  'https://shop.example/?utm_source=%28none%29&utm_campaign=%ff',
);
const offset = fc.integer({ min: -40, max: 15 });
/** Of exposures: some are received days later. */
const exposureOffset = fc.oneof(
  { weight: 12, arbitrary: offset },
  { weight: 1, arbitrary: fc.integer({ min: -20, max: -1 }).map((days) => days * 86_400_000) },
);
const option = fc.constantFrom('good', 'bad');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const collectedEvent = fc.record({
  type: fc.constantFrom('pageview' as const, 'event' as const, 'identify' as const),
  at: offset,
  url: optional(url),
  name: optional(fc.constantFrom('load', 'load', 'click')),
  properties: optional(
    fc.constantFrom(
      '{"ms":12.5}',
      '{"ms":0}',
      '{"ms":700,"other":1}',
      '{"ms":-3}',
      '{"ms":"12"}',
      '{"ms":null}',
    ),
  ),
  referrer: optional(
    fc.constantFrom('', 'https://a.example', 'https://B.example:8080/x', 'https://shop.example/buy', 'text'),
  ),
});

const seenExposure = fc.record({
  splitTestKey: fc.constantFrom('hero', 'hero', 'hero', 'price', 'price', 'footer'),
  variationKey: fc.constantFrom('a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'),
  sessionId,
  at: exposureOffset,
  phase: optional(fc.constantFrom(1, 2, 3)),
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
    metadata: optional(fc.constantFrom('{"order":"1"}', '{"order":"2"}')),
  }),
  fc.record({
    kind: fc.constant('feedback' as const),
    feedbackTypeId: fc.constantFrom('nps', 'bug'),
    sessionId: optional(sessionId),
    option: optional(option),
    message: optional(fc.constantFrom('Great', 'not so great', 'ÄRGER')),
  }),
  fc.record({
    kind: fc.constant('collect' as const),
    sessionId,
    visitorId: fc.constantFrom('v1', 'v2', 'v3'),
    userId: optional(fc.constantFrom('u1', 'u2')),
    attributes: optional(fc.constantFrom('{"n":1}', '{"n":2}')),
    country: optional(fc.constantFrom('DE', 'FR')),
    device: fc.constantFrom('desktop', 'mobile', 'unknown', 'bot'),
    events: fc.array(collectedEvent, { maxLength: 3 }),
  }),
);

/** Mostly milliseconds, sometimes weeks. */
const delay = fc.oneof(
  { weight: 8, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: fc.integer({ min: 1000, max: 40 * 86_400_000 }) },
);

const propertyId = fc.constantFrom('one', 'two');

const delayed = fc.record({ delay, propertyId, payload });

export const randomSubject = fc.oneof(
  fc.record({ visitorId: fc.constantFrom('v1', 'v2') }),
  fc.record({ userId: fc.constantFrom('u1', 'u2') }),
  fc.record({ sessionId }),
  fc.record({ feedbackId: fc.constantFrom('f1', 'f2', 'f3', 'f4') }),
  fc.record({ metadata: fc.constantFrom({ key: 'order', value: '1' }, { key: 'order', value: 'none' }) }),
  fc.record({ everything: fc.constant(true as const) }),
);

/** Batches of requests in the order of their receipt, subjects to forget, and a time of expiry. */
export const randomScenario = fc
  .record({
    batches: fc.array(fc.array(delayed, { maxLength: 8 }), { minLength: 1, maxLength: 5 }),
    subjectsToForget: fc.array(fc.record({ propertyId, subject: randomSubject }), {
      minLength: 1,
      maxLength: 3,
    }),
    age: fc.nat(120),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ batches, age, ...rest }) => {
    const requests = requestsOf(batches);
    const last = requests.flat().at(-1)?.receivedAt ?? T0;
    return { batches: requests, expiry: last - age, ...rest };
  });

/** A few large batches of requests in the order of their receipt. */
export const randomBatches = fc
  .array(fc.array(delayed, { minLength: 5, maxLength: 9 }), { minLength: 2, maxLength: 2 })
  .map(requestsOf);

/** Many small batches of requests in the order of their receipt. */
export const manyBatches = fc
  .array(fc.array(delayed, { minLength: 1, maxLength: 8 }), { minLength: 10, maxLength: 10 })
  .map(requestsOf);

function requestsOf(batches: readonly (readonly Delayed[])[]): AcceptedRequest[][] {
  let now = T0;
  let number = 0;
  return batches.map((batch) =>
    batch.map((it) => {
      now += it.delay;
      return requestOf(it.payload, it.propertyId, now, ++number);
    }),
  );
}

type Delayed = typeof delayed extends fc.Arbitrary<infer Value> ? Value : never;
type Payload = typeof payload extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf(
  payload: Payload,
  propertyId: string,
  receivedAt: number,
  number: number,
): AcceptedRequest {
  const base = { propertyId, receivedAt };
  const withTime = <T extends { at: number }>(it: T): T => ({ ...it, at: receivedAt + it.at });
  if (payload.kind === 'exposures')
    return {
      ...base,
      ...withoutUndefined(payload),
      exposures: payload.exposures.map((it) => withTime(withoutUndefined(it))),
    };
  if (payload.kind === 'feedback') return { ...base, ...withoutUndefined(payload), id: `f${number}` };
  if (payload.kind === 'conversion') {
    const { micros, ...it } = withoutUndefined(payload);
    return { ...base, ...it, amountMicros: it.direction === 1 ? micros : 0 - micros };
  }
  const client = { browser: `browser ${number % 2}`, os: number % 3 === 0 ? 'unknown' : 'Linux' };
  return {
    ...base,
    ...client,
    ...withoutUndefined(payload),
    events: payload.events.map((it) => withTime(withoutUndefined(it))),
  };
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
