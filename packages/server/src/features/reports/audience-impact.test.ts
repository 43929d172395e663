import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Condition, Segment } from '@switchyard/core/api/targeting';
import { assign } from '@switchyard/core/evaluation/assignment';
import { HOUR_MS } from '@switchyard/core/time';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import type { AcceptedCollect } from '../../events/store/accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { audienceShare } from './audience-share.ts';
import { impactReport } from './impact-report.ts';
import type { ReplayedTest } from './impact-scope.ts';

const SEED = 8087;
const random = mulberry32(SEED);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const regex = () => () => false;
const TIME_ZONE = 'Asia/Kolkata';
const NOW = Date.now();

/** A session as it is known here, without the code under test. */
interface Session {
  sessionId: string;
  visitorId: string;
  userId?: string;
  startedAt: number;
  plan?: string;
  path?: string;
  source?: string;
  device: string;
  returning: boolean;
}

let directory: string;
let store: EventStore;
let sessions: Session[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchyard-audience-impact-'));
  store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  const visitors = Array.from({ length: 600 }, (_, index) => `v${index}`);
  sessions = Array.from({ length: 1500 }, (_, index) => ({
    sessionId: `s${index}`,
    visitorId: pick(visitors),
    ...(random() < 0.3 && { userId: `u${index % 50}` }),
    // No two at the same time.
    startedAt: NOW - Math.floor(random() * 120) * HOUR_MS - index,
    ...(random() < 0.7 && { plan: pick(['a', 'b']) }),
    ...(random() < 0.8 && { path: pick(['/', '/shoes', '/shoes/red']) }),
    ...(random() < 0.5 && { source: pick(['news', 'mail']) }),
    device: pick(['desktop', 'mobile']),
    returning: false,
  }));
  for (const session of sessions)
    session.returning = sessions.some(
      ({ visitorId, startedAt }) => visitorId === session.visitorId && startedAt < session.startedAt,
    );
  await store.append(
    LOCAL_SOURCE,
    sessions.map((session, index) => ({ seq: index + 1, request: collectOf(session) })),
  );
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

function collectOf({ sessionId, visitorId, userId, startedAt, plan, path, source, device }: Session) {
  const query = source === undefined ? '' : `?utm_source=${source}`;
  const url = `https://shop.example${path}${query}`;
  const request: AcceptedCollect = {
    kind: 'collect',
    propertyId: 'shop',
    receivedAt: startedAt,
    sessionId,
    visitorId,
    ...(userId !== undefined && { userId }),
    ...(plan !== undefined && { attributes: JSON.stringify({ plan }) }),
    device,
    browser: 'Firefox',
    os: 'Linux',
    events: path === undefined ? [] : [{ type: 'pageview', at: startedAt, url }],
  };
  return request;
}

const hourAt = (time: number) =>
  Number(
    new Intl.DateTimeFormat('en', { timeZone: TIME_ZONE, hour: 'numeric', hourCycle: 'h23' }).format(time),
  );

const SEGMENTS: Segment[] = [
  { id: 'phones', conditions: [{ attribute: 'device', operator: 'equals', values: ['mobile'] }] },
];

/** Conditions, and who meets them. */
const CONDITIONS: readonly (readonly [Condition, (session: Session) => boolean])[] = [
  [{ attribute: 'plan', operator: 'equals', values: ['a'] }, ({ plan }) => plan === 'a'],
  [
    { attribute: 'path', operator: 'startsWith', values: ['/shoes'] },
    ({ path = '' }) => path.startsWith('/shoes'),
  ],
  [
    { attribute: 'utm.source', operator: 'equals', values: ['news'] },
    ({ source, path }) => source === 'news' && path !== undefined,
  ],
  [{ attribute: 'hour', operator: 'lessThan', values: [9] }, ({ startedAt }) => hourAt(startedAt) < 9],
  [{ attribute: 'returning', operator: 'equals', values: [true] }, ({ returning }) => returning],
  [{ attribute: 'userId', operator: 'isSet' }, ({ userId }) => userId !== undefined],
  [{ attribute: 'language', operator: 'isSet' }, () => false],
  [{ operator: 'inSegment', values: ['phones'] }, ({ device }) => device === 'mobile'],
];

type IsInside = (session: Session) => boolean;

function randomTest(): { test: ReplayedTest; isInside: IsInside } {
  const match = pick(['all', 'any'] as const);
  const chosen = Array.from({ length: pick([0, 1, 1, 2]) }, () => pick(CONDITIONS));
  const conditions = chosen.map(([condition]) => condition);
  const isInside: IsInside = (session) => {
    if (chosen.length === 0) return true;
    return match === 'all'
      ? chosen.every(([, test]) => test(session))
      : chosen.some(([, test]) => test(session));
  };
  const definition: ReplayedTest['definition'] = {
    hashSeed: pick(['x', 'y']),
    trafficAllocation: pick([50, 100]),
    variations: [
      { key: 'control', weight: 1, value: '' },
      { key: 'b', weight: 1, value: '', ...(random() < 0.3 && { retired: true }) },
      { key: 'c', weight: 2, value: '' },
    ],
    exclusion: null,
    holdout: null,
    unit: 'visitor',
    ...(chosen.length > 0 && { audience: { match, conditions, segments: SEGMENTS } }),
  };
  const serving = pick(['assigned', 'assigned', 'assigned', 'winner', 'nothing'] as const);
  return { test: { serving, winner: serving === 'winner' ? 'b' : null, definition }, isInside };
}

function visitorsOf(): Map<string, Session[]> {
  const visitors = new Map<string, Session[]>();
  for (const session of sessions)
    visitors.set(session.visitorId, [...(visitors.get(session.visitorId) ?? []), session]);
  return visitors;
}

const assignedTo = ({ definition }: ReplayedTest, visitorId: string): string | null => {
  const { hashSeed, trafficAllocation, variations } = definition;
  const { included, index } = assign({ hashSeed, trafficAllocation, variations }, visitorId);
  return included ? variations[index]!.key : null;
};

const counted = (values: Iterable<string>) => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

describe(`the impact of a change of an audience (seed ${SEED})`, () => {
  it('is what looking at the sessions of every visitor gives', async () => {
    let withAudience = 0;
    for (let round = 0; round < 40; round++) {
      const [before, after] = [randomTest(), randomTest()];
      const { splitTest, visitors, changed } = await impactReport(
        store,
        {
          type: 'split-test',
          key: 't',
          days: 7,
          propertyId: 'shop',
          timeZone: TIME_ZONE,
          splitTests: { changes: [{ key: 't', before: before.test, after: after.test }], more: 0 },
        },
        regex,
      );
      const results = [...visitorsOf()].map(([visitorId, own]) => {
        const resultOf = ({ test, isInside }: typeof before) => {
          if (test.serving === 'nothing') return null;
          if (test.serving === 'winner') return 'b';
          return own.some(isInside) ? assignedTo(test, visitorId) : null;
        };
        const running = own.some(after.isInside) ? assignedTo(after.test, visitorId) : null;
        return { from: resultOf(before), to: resultOf(after), running };
      });
      const moved = results.filter(({ from, to }) => from !== to);
      expect(visitors).toBe(results.length);
      expect([splitTest!.changed, changed]).toEqual([moved.length, moved.length]);
      const found = splitTest!.transitions.map(({ from, to, visitors }) => [`${from} to ${to}`, visitors]);
      expect(Object.fromEntries(found)).toEqual(counted(moved.map(({ from, to }) => `${from} to ${to}`)));
      const divided = splitTest!.ifRunning.filter(({ visitors }) => visitors > 0);
      expect(Object.fromEntries(divided.map(({ variation, visitors }) => [variation, visitors]))).toEqual(
        counted(results.flatMap(({ running }) => running ?? [])),
      );
      if (after.test.definition.audience) withAudience++;
    }
    expect(withAudience).toBeGreaterThan(20);
  });

  it('has the same members as the share of an audience', async () => {
    for (let round = 0; round < 20; round++) {
      const { test, isInside } = randomTest();
      const { audience } = test.definition;
      if (audience === undefined) continue;
      const period = { propertyId: 'shop', timeZone: TIME_ZONE, days: 7 };
      const found = await audienceShare(store, period, audience, regex);
      const visitors = [...visitorsOf().values()];
      const inside = visitors.filter((own) => own.some(isInside)).length;
      expect(found).toEqual({ share: inside / visitors.length, visitors: visitors.length, sampled: 1 });
    }
    const audience = { conditions: [], segments: [] };
    const unknown = { propertyId: 'unknown', timeZone: TIME_ZONE, days: 7 };
    expect(await audienceShare(store, unknown, audience, regex)).toEqual({
      share: 0,
      visitors: 0,
      sampled: 1,
    });
  });

  it('says which attributes sessions do not have', async () => {
    const conditions = CONDITIONS.map(([condition]) => condition);
    const after: ReplayedTest = {
      ...randomTest().test,
      definition: { ...randomTest().test.definition, audience: { conditions, segments: SEGMENTS } },
    };
    const { splitTest } = await impactReport(
      store,
      {
        type: 'split-test',
        key: 't',
        days: 7,
        propertyId: 'shop',
        timeZone: TIME_ZONE,
        splitTests: { changes: [{ key: 't', before: undefined, after }], more: 0 },
      },
      regex,
    );
    const lacking = (isMissing: (session: Session) => boolean) =>
      [...visitorsOf().values()].filter((own) => own.some(isMissing)).length;
    const unknown = new Map(splitTest!.unknown.map(({ attribute, visitors }) => [attribute, visitors]));
    expect(Object.fromEntries(unknown)).toEqual({
      language: visitorsOf().size,
      plan: lacking(({ plan }) => plan === undefined),
      path: lacking(({ path }) => path === undefined),
      'utm.source': lacking(({ source, path }) => source === undefined || path === undefined),
      userId: lacking(({ userId }) => userId === undefined),
    });
  });
});
