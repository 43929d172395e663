import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { startServer } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const flag = (key: string) => ({
  key,
  name: key,
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [
        { id: 'pro', conditions: [{ attribute: 'plan', operator: 'equals', values: ['pro'] }], value: true },
      ],
    },
  },
});

let shop: Shop;
beforeAll(async () => {
  const flags = ['evaluated', 'reported', 'retried', 'clocks', 'untouched'].map(flag);
  shop = await openShop({ provision: sampleWith({ flags }) });
});
afterAll(() => closeShop(shop));

const report = (fields: object) => shop.post('/v1/flags/usage', { propertyId: 'shop', ...fields });
const counted = async (key: string, environment = 'production') => {
  const { evaluations, values } = (await shop.flagUsage(key))[environment];
  return { evaluations, values: values.map((it: { value: unknown; count: number }) => [it.value, it.count]) };
};

describe('reports', () => {
  it('are added up by value, per environment; unknown flags and wrong types are skipped', async () => {
    const counts = [
      { flagKey: 'reported', value: true, count: 5 },
      { flagKey: 'reported', value: false, count: 2 },
      { flagKey: 'reported', value: true, count: 1 },
      { flagKey: 'reported', value: 'true', count: 100 },
      { flagKey: 'unknown', value: true, count: 100 },
      { flagKey: '__proto__', value: true, count: 100 },
    ];
    await accepted(report({ counts }));
    await accepted(report({ counts: counts.slice(0, 1), environment: 'staging' }));
    expect(await counted('reported')).toEqual({
      evaluations: 8,
      values: [
        [true, 6],
        [false, 2],
      ],
    });
    expect(await counted('reported', 'staging')).toEqual({ evaluations: 5, values: [[true, 5]] });
    await accepted(report({ counts: [{ flagKey: 'unknown', value: true, count: 1 }] }));
  });

  it('with the same id count once', async () => {
    const body = { reportId: 'r-1', counts: [{ flagKey: 'retried', value: true, count: 3 }] };
    await accepted(report(body), report(body), report(body));
    await accepted(report({ ...body, reportId: 'r-2' }));
    expect(await counted('retried')).toEqual({ evaluations: 6, values: [[true, 6]] });
  });

  it('with an implausible time count as received now', async () => {
    const before = Date.now();
    for (const lastAt of [undefined, 0, before + 3_600_000, 1e300]) {
      await accepted(report({ counts: [{ flagKey: 'clocks', value: true, count: 1, lastAt }] }));
    }
    const { lastEvaluatedAt, evaluations } = (await shop.flagUsage('clocks')).production;
    expect(evaluations).toBe(4);
    expect(lastEvaluatedAt).toBeGreaterThanOrEqual(before);
    expect(lastEvaluatedAt).toBeLessThanOrEqual(Date.now());
  });

  it('are validated', async () => {
    const entry = { flagKey: 'reported', value: true, count: 1 };
    const rows = [
      { body: {}, pointers: ['/counts'] },
      {
        body: {
          counts: [
            { ...entry, count: 0 },
            { ...entry, count: 1.5 },
          ],
        },
        pointers: ['/counts/0/count', '/counts/1/count'],
      },
      { body: { counts: [{ ...entry, count: 1e9 + 1 }] }, pointers: ['/counts/0/count'] },
      { body: { reportId: '', counts: [entry] }, pointers: ['/reportId'] },
      { body: { counts: Array.from({ length: 1001 }, () => entry) }, pointers: ['/counts'] },
    ];
    for (const { body, pointers } of rows) {
      expectProblem(await report(body), { status: 400, code: 'invalid_request', pointers });
    }
    expectProblem(await report({ counts: [entry], environment: 'moon' }), {
      status: 404,
      code: 'environment_not_found',
    });
    await accepted(
      report({ counts: Array.from({ length: 1000 }, () => ({ ...entry, flagKey: 'unknown' })) }),
    );
  });
});

describe('the list', () => {
  it('contains every flag in every environment, also those without evaluations', async () => {
    const response = await shop.get('/v1/flags/usage');
    expect(response.status).toBe(200);
    const { flags, countingSince } = response.body;
    expect(countingSince).toBeLessThanOrEqual(Date.now());
    expect(flags.map((it: { flagKey: string }) => it.flagKey)).toEqual(
      expect.arrayContaining(['banner', 'new-checkout', 'untouched']),
    );
    const untouched = flags.find((it: { flagKey: string }) => it.flagKey === 'untouched');
    const nothing = { lastEvaluatedAt: null, evaluations: 0, values: [], stale: null };
    expect(untouched.environments).toEqual([
      { environment: 'production', ...nothing },
      { environment: 'staging', ...nothing },
    ]);
    expect((await shop.get('/v1/flags/usage', { flagKey: 'unknown' })).body.flags).toEqual([]);
  });
});

describe('evaluations by the service', () => {
  it('are counted for all endpoints, and survive a restart', async () => {
    let own = await openShop({ provision: sampleWith({ flags: [flag('evaluated')] }) });
    try {
      await own.evaluate({ flagKeys: ['evaluated', 'evaluated', 'unknown'] });
      await own.evaluate({ flagKeys: ['evaluated'], context: { plan: 'pro' } });
      await own.evaluate({ context: { plan: 'pro' } });
      const ofrep = (path: string, headers: Record<string, string> = {}) =>
        own.server.call('POST', path, {
          key: SECRET_KEY,
          body: { context: { targetingKey: 'u', plan: 'pro' } },
          headers,
        });
      await ofrep('/ofrep/v1/evaluate/flags/evaluated');
      await ofrep('/ofrep/v1/evaluate/flags');
      await ofrep('/ofrep/v1/evaluate/flags', { 'x-environment': 'staging' });
      await own.evaluate({ flagKeys: [] });
      expect(await own.server.stop()).toBe(0);
      own = new Shop(await startServer({ dataDir: own.server.dataDir }));
      const { production, staging } = await own.flagUsage('evaluated');
      expect(production).toMatchObject({
        evaluations: 5,
        values: [
          { value: true, count: 4 },
          { value: false, count: 1 },
        ],
        stale: null,
      });
      expect(staging).toMatchObject({ evaluations: 1, values: [{ value: false, count: 1 }] });
      expect((await own.flagUsage('banner')).production).toMatchObject({
        values: [{ value: 'spring', count: 2 }],
      });
    } finally {
      await closeShop(own);
    }
  });
});
