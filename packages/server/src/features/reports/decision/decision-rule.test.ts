import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyard } from '@switchyard/testing/server/command-line';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Body = TestResponse['body'];

const GOALS = [{ id: 'errors', name: 'Checkout errors', kind: 'count', lowerIsBetter: true }];
const METRICS = [
  { id: 'week', name: 'Week', kind: 'retention', fromDay: 1, toDay: 7 },
  { id: 'late', name: 'Late', kind: 'retention', fromDay: 3, toDay: 7 },
  { id: 'again', name: 'Again', kind: 'retention', fromDay: 3, toDay: 7, goalId: 'signup' },
];
const TEST = {
  type: 'id',
  variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
  goals: ['signup'],
  guardrails: [{ goalId: 'errors', maxHarm: 0.01 }],
  smallestEffect: 0.02,
};

let shop: Shop;
let owner: PropertyManager;
let editor: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER, provision: sampleWith({ goals: GOALS, metrics: METRICS }) });
  const browser = await ownerBrowser(shop.server);
  owner = new PropertyManager(browser);
  editor = new PropertyManager((await newMember(browser, 'editor@shop.example', 'editor')).browser);
});
afterAll(() => closeShop(shop));

/** A test that the owner has started. */
async function started(key: string): Promise<void> {
  bodyOf(await owner.put(`/split-tests/${key}`, TEST), 201);
  bodyOf(await owner.post(`/split-tests/${key}/start`));
  await accepted(
    shop.expose(
      { splitTestKey: key, variationKey: 'control', sessionId: `${key}-1` },
      { splitTestKey: key, variationKey: 'b', sessionId: `${key}-2` },
    ),
  );
}

const ruleOf = async (key: string): Promise<Body> => (await shop.results(key)).decisionRule;
const bundleOf = async (key: string): Promise<Body> =>
  bodyOf(await shop.get('/v1/split-testing/results/export', { splitTestKey: key }));

async function verify(bundle: Body) {
  const file = join(shop.server.dataDir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  return switchyard(shop.server, 'verify', file);
}

it('the rule of a started test is in the test, the configuration, the results and the bundle', async () => {
  bodyOf(await owner.put('/split-tests/told', TEST), 201);
  expect(await ruleOf('told')).toMatchObject({
    state: 'not-started',
    fixedAt: null,
    words: 'Not fixed yet: this is what applies now, and it is fixed at the start.',
  });
  expect(await owner.read('/split-tests/told')).not.toHaveProperty('decisionRule');
  bodyOf(await owner.post('/split-tests/told/start'));
  const { decisionRule: stored, phases, ...test } = await owner.read('/split-tests/told');
  expect(stored).toMatchObject({ fixedAt: phases[0].startedAt, rule: { smallestEffect: 0.02 } });
  const { splitTests } = await owner.read('/configuration');
  expect(splitTests.find(({ key }: Body) => key === 'told').decisionRule).toEqual(stored);

  const rule = await ruleOf('told');
  expect(rule).toMatchObject({
    state: 'fixed',
    ...stored,
    changes: [],
    words: 'Fixed at the start, and unchanged since.',
  });
  expect(rule.sentences.slice(0, 3)).toEqual([
    'We decide by "Sign-ups": the share of visitors who reach it.',
    'A change smaller than 2 % does not matter.',
    '"Checkout errors" must not get worse by more than 1 %; less is better.',
  ]);
  const bundle = await bundleOf('told');
  expect([bundle.definition.decisionRule, bundle.decisionRule]).toEqual([stored, rule]);
  expect(await verify(bundle)).toMatchObject({ code: 0 });

  // It is derived: what a client sends is not taken.
  const forged = { ...test, decisionRule: { fixedAt: 1, rule: { smallestEffect: 1 } } };
  bodyOf(await owner.put('/split-tests/told', { ...forged, description: 'New' }, '*'));
  expect((await owner.read('/split-tests/told')).decisionRule).toEqual(stored);
});

it('the words tell retention metrics with the same end apart', async () => {
  const sentences = await Promise.all(
    METRICS.map(async ({ id }) => {
      const fields = { ...TEST, goals: [{ metric: id }], guardrails: [] };
      bodyOf(await owner.put(`/split-tests/keeps-${id}`, fields), 201);
      bodyOf(await owner.post(`/split-tests/keeps-${id}/start`));
      const { state, sentences, changes } = await ruleOf(`keeps-${id}`);
      expect([state, changes]).toEqual(['fixed', []]);
      return sentences[0];
    }),
  );
  expect(sentences).toEqual([
    'We decide by "Week": the share of visitors who come back on days 1 to 7 after the first exposure.',
    'We decide by "Late": the share of visitors who come back on days 3 to 7 after the first exposure.',
    'We decide by "Again": the share of visitors who reach "Sign-ups" on days 3 to 7 after the first exposure.',
  ]);
  expect(await verify(await bundleOf('keeps-again'))).toMatchObject({ code: 0 });
});

it('later changes are allowed, and marked with when and who', async () => {
  await started('changed');
  const at = Date.now();
  const dryRun = await editor.patch(
    '/split-tests/changed?dryRun=true',
    { smallestEffect: 0.1, name: 'New' },
    '*',
  );
  expect(bodyOf(dryRun).warnings).toEqual([
    'Changes how the split test "changed" is decided, after its start. Smallest effect: 2 % → 10 %.',
  ]);
  const guardrails = [{ goalId: 'errors', maxHarm: 0.05 }, 'revenue'];
  const changed = bodyOf(await editor.patch('/split-tests/changed', { guardrails }, '*'));
  bodyOf(await owner.patch('/split-tests/changed', { smallestEffect: 0.1, description: 'x' }, '*'));
  // What is not about the rule is not who changed it.
  bodyOf(await editor.patch('/split-tests/changed', { description: 'y' }, '*'));
  bodyOf(await owner.patch('', { statistics: { engine: 'bayesian' } }, '*'));

  const rule = await ruleOf('changed');
  const owned = (await owner.history())[0].actor.name;
  const edited = (await owner.history('?entity=split-test&key=changed'))[0].actor.name;
  expect(changed.decisionRule.rule.guardrails).toHaveLength(1);
  expect(rule.words).toBe(
    'Fixed at the start. Changed after the start: guardrails, smallest effect and method.',
  );
  expect(rule.rule.smallestEffect).toBe(0.02);
  expect(rule.changes.map(({ words, by }: Body) => [words, by])).toEqual([
    ['Guardrail "Checkout errors": margin 1 % → 5 %', edited],
    ['Guardrail "Revenue": added, with a margin of 10 %', owned],
    ['Smallest effect: 2 % → 10 %', owned],
    ['Method: sequential → bayesian', owned],
  ]);
  expect(edited).not.toBe(owned);
  for (const change of rule.changes) expect(change.at).toBeGreaterThanOrEqual(at);

  const bundle = await bundleOf('changed');
  expect(bundle.decisionRule).toEqual(rule);
  expect(await verify(bundle)).toMatchObject({ code: 0 });
  const hidden = structuredClone(bundle);
  hidden.decisionRule.changes.pop();
  const { code, stderr } = await verify(hidden);
  expect(code).toBe(1);
  expect(stderr).toContain('decisionRule.changes.3');
  // Bundles of earlier versions have none.
  delete bundle.decisionRule;
  delete bundle.definition.decisionRule;
  expect(await verify(bundle)).toMatchObject({ code: 0 });
  bodyOf(await owner.patch('', { statistics: { engine: 'auto' } }, '*'));
});

it('a change that is taken back is none; the direction of a goal is part of the rule', async () => {
  await started('back');
  bodyOf(await owner.patch('/split-tests/back', { smallestEffect: 0.1 }, '*'));
  bodyOf(await owner.patch('/split-tests/back', { smallestEffect: 0.02 }, '*'));
  expect((await ruleOf('back')).changes).toEqual([]);
  bodyOf(await editor.patch('/goals/errors', { lowerIsBetter: false }, '*'));
  const editors = (await owner.history('?entity=goal&key=errors'))[0];
  expect((await ruleOf('back')).changes).toMatchObject([
    {
      what: 'guardrails',
      goalId: 'errors',
      words: 'Guardrail "Checkout errors": less is better → more is better',
      at: editors.at,
      by: editors.actor.name,
    },
  ]);
  bodyOf(await owner.patch('/goals/errors', { lowerIsBetter: true }, '*'));
});

it('a client that only knows the specification does not see it', async () => {
  const { body } = await shop.server.send('GET', '/v1/split-testing/config?propertyId=shop', {
    key: SECRET_KEY,
  });
  expect(JSON.stringify(body)).not.toContain('decisionRule');
});
