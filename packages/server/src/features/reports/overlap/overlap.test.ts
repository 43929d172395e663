import { OTHER_SECRET_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterEach, describe, expect, it } from 'vitest';

const PATH = '/v1/split-testing/overlap';
const BATCH = 250;

type Body = TestResponse['body'];

let shop: Shop;
afterEach(() => closeShop(shop));

const overlap = async (splitTestKey = 'hero'): Promise<Body> =>
  bodyOf(await shop.get(PATH, { splitTestKey }));

const test = (key: string, fields: object = {}) => ({
  key,
  type: 'id',
  status: 'running',
  variations: ['control', 'b'].map((name) => ({ key: name, weight: 50, value: name })),
  ...fields,
});

const open = (splitTests: object[], env = {}) => openShop({ provision: sampleWith({ splitTests }), env });

interface Visit {
  /** What the visitor saw, by test. */
  seen: Record<string, string>;
  converts: boolean;
}

async function visit(prefix: string, visits: readonly Visit[]): Promise<void> {
  for (let at = 0; at < visits.length; at += BATCH) {
    const batch = visits
      .slice(at, at + BATCH)
      .map((it, index) => ({ ...it, sessionId: `${prefix}-${at + index}` }));
    await accepted(
      shop.expose(
        ...batch.flatMap(({ seen, sessionId }) =>
          Object.entries(seen).map(([splitTestKey, variationKey]) => ({
            splitTestKey,
            variationKey,
            sessionId,
          })),
        ),
      ),
    );
    await accepted(
      ...batch
        .filter(({ converts }) => converts)
        .map(({ sessionId }) => shop.increment({ goalId: 'signup', sessionId })),
    );
  }
}

/** As many visitors in each combination of two tests, of whom `converted` convert. */
const cell = (seen: Record<string, string>, visitors: number, converted: number): Visit[] =>
  Array.from({ length: visitors }, (_, index) => ({ seen, converts: index < converted }));

describe('GET /v1/split-testing/overlap', () => {
  it('says how many visitors are in both tests, and whether the effect differs', async () => {
    shop = await open([
      test('shipping', { name: 'Free shipping' }),
      test('footer'),
      test('copy'),
      test('empty'),
    ]);
    const both = (hero: string, shipping: string, converted: number) =>
      cell({ hero, shipping }, 150, converted);
    await visit('shipping', [
      ...both('control', 'control', 30),
      ...both('b', 'control', 75),
      ...both('control', 'b', 75),
      ...both('b', 'b', 30),
    ]);
    await visit('footer', [
      ...cell({ hero: 'control', footer: 'control' }, 110, 30),
      ...cell({ hero: 'b', footer: 'control' }, 110, 30),
      ...cell({ hero: 'control', footer: 'b' }, 110, 30),
      ...cell({ hero: 'b', footer: 'b' }, 110, 30),
      // They saw several variations of one of the tests, so they are in no results.
      { seen: { hero: 'b', footer: 'b' }, converts: true },
    ]);
    await accepted(shop.expose({ splitTestKey: 'footer', variationKey: 'control', sessionId: 'footer-440' }));
    // Assigned with the same seed.
    await visit('copy', [
      ...cell({ hero: 'control', copy: 'control' }, 100, 0),
      ...cell({ hero: 'b', copy: 'b' }, 100, 0),
    ]);
    const body = await overlap();
    expect(body).toMatchObject({
      splitTestKey: 'hero',
      phase: 1,
      method: { alpha: 0.05, correction: 'holm' },
      leftOut: 0,
      summary:
        'What visitors see here and in "copy" goes together, so the effects cannot be told apart. The effect differs between the variations of "Free shipping". 3 other tests share visitors with this one.',
    });
    expect(
      body.tests.map(({ splitTestKey, visitors, share, finding }: Body) => ({
        splitTestKey,
        visitors,
        share: Number(share.toFixed(4)),
        finding,
      })),
    ).toEqual([
      { splitTestKey: 'shipping', visitors: 600, share: 0.4835, finding: 'interaction' },
      { splitTestKey: 'footer', visitors: 440, share: 0.3546, finding: 'none' },
      { splitTestKey: 'copy', visitors: 200, share: 0.1612, finding: 'dependent' },
      { splitTestKey: 'empty', visitors: 0, share: 0, finding: 'nobody' },
    ]);
    const [shipping, footer] = body.tests;
    expect(shipping).toMatchObject({ name: 'Free shipping', status: 'running', phase: 1, to: null });
    expect(shipping.cells).toEqual([
      { variation: 'control', otherVariation: 'control', visitors: 150, mean: 0.2 },
      { variation: 'b', otherVariation: 'control', visitors: 150, mean: 0.5 },
      { variation: 'control', otherVariation: 'b', visitors: 150, mean: 0.5 },
      { variation: 'b', otherVariation: 'b', visitors: 150, mean: 0.2 },
    ]);
    expect(shipping.differences).toEqual([
      {
        variation: 'b',
        unit: 'relative',
        pValue: shipping.pValue,
        effects: [
          { otherVariation: 'control', estimate: expect.closeTo(1.5, 9) },
          { otherVariation: 'b', estimate: expect.closeTo(-0.6, 9) },
        ],
      },
    ]);
    expect(shipping.pValue).toBeLessThan(0.001);
    expect(shipping.words).toBe(
      'The effect differs between the variations of "Free shipping": look at them together. "b" has +150 % with "control" and -60 % with "b".',
    );
    expect(footer.words).toBe('No interaction found with "footer": 440 visitors are in both (35 %).');
    // The other way round, it is the same question; this test has no goal to compare.
    const [mirrored] = (await overlap('shipping')).tests;
    expect(mirrored).toMatchObject({ splitTestKey: 'hero', visitors: 600, finding: 'not-compared' });
    // Results, verdict and health do not depend on it.
    expect((await shop.results('hero')).health.healthy).toBe(true);
  });

  it('is about tests that ran at the same time and may share a visitor', async () => {
    const exclusive = (from: number) => ({ exclusion: { group: 'checkout', share: 50, from } });
    shop = await open(
      [
        test('left', exclusive(0)),
        test('right', exclusive(50)),
        test('past'),
        test('later', { status: 'draft' }),
      ],
      WITH_OWNER,
    );
    const manager = new PropertyManager(await ownerBrowser(shop.server));
    const keysFor = async (key: string) =>
      (await overlap(key)).tests.map((it: Body) => it.splitTestKey).sort();
    expect(await keysFor('left')).toEqual(['hero', 'past']);
    expect(await overlap('later')).toMatchObject({
      phase: null,
      tests: [],
      summary: 'No other test shares visitors with this one.',
    });
    await nextMillisecond();
    bodyOf(await manager.patch('/split-tests/past', { status: 'stopped' }, '*'));
    await nextMillisecond();
    bodyOf(await manager.patch('/split-tests/later', { status: 'running' }, '*'));
    expect(await keysFor('later')).toEqual(['hero', 'left', 'right']);
    expect(await keysFor('past')).toEqual(['hero', 'left', 'right']);
    const { tests } = await overlap('past');
    expect(tests[0].to).toBeGreaterThan(tests[0].from);
  });

  it('is for the secret key of the property and for its members', async () => {
    shop = await open([], WITH_OWNER);
    const { browser } = await newMember(await ownerBrowser(shop.server), 'viewer@shop.example', 'viewer');
    const url = `${PATH}?propertyId=shop&splitTestKey=hero`;
    expect(bodyOf(await browser.get(url)).tests).toEqual([]);
    expectProblem(await shop.get(PATH, { splitTestKey: 'hero' }, OTHER_SECRET_KEY), {
      status: 403,
      code: 'wrong_property',
    });
    expectProblem(await shop.get(PATH, { splitTestKey: 'none' }), {
      status: 404,
      code: 'split_test_not_found',
    });
    expect((await shop.get(PATH, { splitTestKey: 'hero' }, PUBLIC_KEY)).status).toBe(403);
  });
});
