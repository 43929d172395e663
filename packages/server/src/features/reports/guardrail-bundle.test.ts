import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Body = TestResponse['body'];

const GUARDRAILS = [
  'revenue',
  { goalId: 'visits', maxHarm: 0.02 },
  { feedbackType: 'nps', option: 'bad', lowerIsBetter: true, maxHarm: 0.1 },
];

let shop: Shop;
beforeAll(async () => {
  const limited = {
    key: 'limited',
    type: 'id',
    status: 'running',
    variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
    goals: ['signup'],
    guardrails: GUARDRAILS,
  };
  const goals = [{ id: 'visits', name: 'Visits', kind: 'count' }];
  shop = await openShop({ provision: sampleWith({ goals, splitTests: [limited] }) });
  await accepted(
    shop.expose(
      { splitTestKey: 'limited', variationKey: 'control', sessionId: 's1' },
      { splitTestKey: 'limited', variationKey: 'b', sessionId: 's2' },
    ),
  );
});
afterAll(() => closeShop(shop));

const verify = (bundle: Body) => {
  const file = join(shop.server.dataDir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  return switchyard(shop.server, 'verify', file);
};

it('a bundle has the margins of the guardrails, and another margin is detected', async () => {
  const { body } = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'limited' });
  expect(body.definition).toMatchObject({ guardrails: GUARDRAILS, unit: 'visitor' });
  const margins = body.input.goals.map(({ role, maxHarm }: Body) => [role, maxHarm]);
  expect(margins).toEqual([
    ['primary', undefined],
    ['guardrail', undefined],
    ['guardrail', 0.02],
    ['guardrail', 0.1],
  ]);
  expect(await verify(body)).toMatchObject({ code: 0 });
  const forged = structuredClone(body);
  forged.definition.guardrails = [{ goalId: 'revenue', maxHarm: 0.3 }, 'visits', GUARDRAILS[2]];
  const { code, stderr } = await verify(forged);
  expect(code).toBe(1);
  expect(stderr).toContain('definition.guardrails.0.maxHarm: the bundle has 0.3, recomputed: null');
  expect(stderr).toContain('definition.guardrails.1.maxHarm: the bundle has null, recomputed: 0.02');
  expect(stderr).not.toContain('definition.guardrails.2');
});
