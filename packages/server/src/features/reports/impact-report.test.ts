import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FlagDefinition, Rule, Segment } from '@switchyard/core/api/targeting';
import { compileFlags } from '@switchyard/core/evaluation/flags';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import type { AcceptedCollect } from '../../events/store/accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { impactReport } from './impact-report.ts';
import type { ImpactScope } from './impact-scope.ts';

const SEED = 4711;
const random = mulberry32(SEED);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const regex = () => () => false;

let directory: string;
let store: EventStore;
let sessions: AcceptedCollect[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchyard-impact-'));
  store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  sessions = Array.from({ length: 3000 }, (_, index): AcceptedCollect => {
    const attributes = { ...(random() < 0.7 && { plan: pick(['a', 'b']) }), n: Math.floor(random() * 5) };
    return {
      kind: 'collect',
      propertyId: 'shop',
      receivedAt: Date.now() - index,
      sessionId: `s${index}`,
      visitorId: `v${Math.floor(random() * 2000)}`,
      attributes: JSON.stringify(attributes),
      ...(random() < 0.3 && { userId: `u${index % 50}` }),
      device: pick(['desktop', 'mobile']),
      browser: 'Firefox',
      os: 'Linux',
      events: [],
    };
  });
  await store.append(
    LOCAL_SOURCE,
    sessions.map((request, index) => ({ seq: index + 1, request })),
  );
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const segments: Segment[] = [
  { id: 'many', conditions: [{ attribute: 'n', operator: 'greaterThan', values: [2] }] },
];

function randomRule(index: number): Rule {
  const conditions = [
    { attribute: 'plan', operator: 'equals' as const, values: [pick(['a', 'b'])] },
    { attribute: 'device', operator: 'equals' as const, values: ['mobile'] },
    { attribute: 'userId', operator: 'isSet' as const },
    { operator: 'inSegment' as const, values: ['many'], negate: random() < 0.5 },
  ];
  return {
    id: `r${index}`,
    value: pick(['x', 'y', 'z']),
    conditions: [pick(conditions)],
    ...(random() < 0.5 && { rollout: { percentage: pick([20, 50, 100]) } }),
  };
}

const randomFlag = (): FlagDefinition => ({
  key: 'f',
  type: 'string',
  defaultValue: 'none',
  version: 1,
  configuration: {
    enabled: true,
    value: pick(['x', 'none']),
    prerequisites: [],
    rules: Array.from({ length: 3 }, (_, index) => randomRule(index)),
  },
});

function scopeOf(before: FlagDefinition, after: FlagDefinition): ImpactScope {
  const [old, changed] = [before, after].map((flag) => ({ flags: [flag], segments }));
  const environments = [{ environment: 'production', before: old!, after: changed! }];
  return {
    type: 'flag',
    key: 'f',
    days: 7,
    propertyId: 'shop',
    timeZone: 'UTC',
    flags: { keys: ['f'], more: 0, environments },
  };
}

/** Visitors by change, session by session. */
function expectedTransitions(before: FlagDefinition, after: FlagDefinition): Record<string, number> {
  const [old, changed] = [before, after].map((flag) => compileFlags([flag], segments, { regex }));
  const visitors = new Map<string, Set<string>>();
  for (const { sessionId, visitorId, userId, device, attributes } of sessions) {
    const context = { sessionId, visitorId, userId, device, ...JSON.parse(attributes!) };
    const values = [old, changed].map((set) => set!.evaluate('f', context)!.value);
    if (values[0] === values[1]) continue;
    const name = values.join(' to ');
    visitors.set(name, (visitors.get(name) ?? new Set()).add(visitorId));
  }
  return Object.fromEntries([...visitors].map(([name, ids]) => [name, ids.size]));
}

describe(`the impact of a change (seed ${SEED})`, () => {
  it('is what evaluating every session with both definitions gives', async () => {
    for (let round = 0; round < 20; round++) {
      const [before, after] = [randomFlag(), randomFlag()];
      const { flags, visitors } = await impactReport(store, scopeOf(before, after), regex);
      const found = flags![0]!.environments[0]!.transitions.map(({ from, to, visitors }) => {
        return [`${from} to ${to}`, visitors];
      });
      expect(Object.fromEntries(found)).toEqual(expectedTransitions(before, after));
      expect(visitors).toBe(new Set(sessions.map(({ visitorId }) => visitorId)).size);
    }
  });

  it('is estimated from a sample, if there are too many sessions or the conditions are too slow', async () => {
    const scope = scopeOf(randomFlag(), randomFlag());
    const some = await impactReport(store, scope, regex, undefined, { maxSessions: 800 });
    expect(some.sampled).toBe(0.25);
    expect(Math.abs(some.sessions / 3000 - 0.25)).toBeLessThan(0.1);
    const first = await impactReport(store, scope, regex, undefined, { replayMs: 0 });
    expect(first.visitors).toBe(1);
    expect(first.sampled).toBeCloseTo(first.sessions / 3000, 10);
  });

  it('can be cancelled', async () => {
    const replaying = impactReport(store, scopeOf(randomFlag(), randomFlag()), regex, AbortSignal.abort());
    await expect(replaying).rejects.toThrow(/abort/);
  });
});
