import { type AssignableTest, assign } from '@switchyard/core/evaluation/assignment';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const variations = ['control', 'b', 'video'].map((key) => ({ key, weight: 1 }));
const TEST = {
  key: 'hero-video',
  type: 'id',
  status: 'running',
  hashSeed: 's1',
  variations,
  goals: ['signup'],
  plannedVisitors: 3000,
  smallestEffect: 0.1,
};
/** Visitors of a batch enter in the same millisecond. */
const BATCH = 50;

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests: [TEST] }), env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const published = async (): Promise<AssignableTest> => {
  const { tests } = (await shop.get('/v1/split-testing/config', {}, PUBLIC_KEY)).body;
  return tests.find(({ key }: { key: string }) => key === TEST.key);
};

/** Visitors as the SDKs assign them; returns what each saw, without those who do not take part. */
async function visit(test: AssignableTest, from: number, to: number): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (let index = from; index < to; index++) {
    const visitor = `visitor-${index}`;
    const { included, index: variation } = assign(test, visitor);
    if (included) seen.set(visitor, test.variations[variation]!.key);
  }
  const exposures = [...seen].map(([visitor, variationKey]) => ({
    splitTestKey: TEST.key,
    variationKey,
    // A session of its own for each visitor, as their only one.
    sessionId: `session-of-${visitor}`,
    phase: 1,
  }));
  for (let at = 0; at < exposures.length; at += BATCH)
    await accepted(shop.expose(...exposures.slice(at, at + BATCH)));
  return seen;
}

const count = (seen: Map<string, string>, key: string) =>
  [...seen.values()].filter((it) => it === key).length;

describe('a variation that is taken out of a running test', () => {
  it('keeps everybody else where they are: the comparisons go on in the same phase, with their data', async () => {
    const before = await published();
    const first = await visit(before, 0, 1200);
    const { version } = await manager.read('/split-tests/hero-video');
    const retired = variations.map((each) => (each.key === 'video' ? { ...each, retired: true } : each));
    bodyOf(await manager.patch('/split-tests/hero-video', { variations: retired }, version));
    await waitFor('the definitions', async () => (await published()).variations[2]!.retired === true);
    const after = await published();
    // The same visitors return, and others come.
    const later = await visit(after, 0, 2400);
    for (const [visitor, key] of first) expect(later.get(visitor)).toBe(key === 'video' ? undefined : key);

    const results = await shop.results(TEST.key);
    expect(results.phase).toMatchObject({ number: 1, endedAt: null });
    const [control, b, video] = results.variations;
    expect([control.visitors, b.visitors]).toEqual([count(later, 'control'), count(later, 'b')]);
    expect(video).toMatchObject({ visitors: count(first, 'video'), retired: true });
    expect(results.mixedVisitors).toBe(0);
    expect(results.health.problems).toEqual([]);
    expect(results.verdicts.map(({ variation }: { variation: string }) => variation)).toEqual(['b']);
    // Two thirds of the plan are for the variations that are left.
    expect(results.plannedShare).toBeCloseTo((control.visitors + b.visitors) / 2000, 10);
  });

  it('is still decided with the visitors until the planned end, counted without the retired variation', async () => {
    await visit(await published(), 2400, 3600);
    const { notes } = await shop.results(TEST.key);
    expect(notes).toMatchObject([{ note: 'planned-end' }]);
    expect(notes[0].visitors).toBeGreaterThanOrEqual(2000);
    expect(notes[0].visitors).toBeLessThan(2000 + BATCH);
  });
});
