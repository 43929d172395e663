import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Body = TestResponse['body'];

const BAD = { feedbackType: 'nps', option: 'bad', lowerIsBetter: true };

const test = (key: string, more: object) => ({
  key,
  type: 'id',
  status: 'running',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
  ...more,
});

let shop: Shop;
beforeAll(async () => {
  const splitTests = [
    test('guarded', { goals: [{ feedbackType: 'nps' }, 'signup'], guardrails: [BAD] }),
    test('rated', { goals: [BAD] }),
    test('silent', { goals: [BAD] }),
  ];
  shop = await openShop({ provision: sampleWith({ splitTests }) });
});
afterAll(() => closeShop(shop));

interface Answers {
  visitors: number;
  good: number;
  bad: number;
}

/** Sends exposures of `visitors`, of whom the first ones give feedback. */
async function send(splitTestKey: string, variationKey: string, { visitors, good, bad }: Answers) {
  const sessions = Array.from({ length: visitors }, (_, index) => `${splitTestKey}-${variationKey}-${index}`);
  const exposures = sessions.map((sessionId, index) => ({
    splitTestKey,
    variationKey,
    sessionId,
    attributes: { plan: index % 2 === 0 ? 'free' : 'pro' },
  }));
  await accepted(shop.expose(...exposures));
  const answers = sessions.slice(0, good + bad).map((sessionId, index) => ({
    feedbackTypeId: 'nps',
    sessionId,
    option: index < bad ? 'bad' : 'good',
  }));
  for (let at = 0; at < answers.length; at += 50) {
    await accepted(...answers.slice(at, at + 50).map((answer) => shop.submit(answer)));
  }
}

const goalOf = (body: Body, goalId: string) => body.goals.find((goal: Body) => goal.goalId === goalId);
const exportOf = (query: Record<string, string>) => shop.get('/v1/split-testing/results/export', query);

describe('feedback as goal and guardrail', () => {
  beforeAll(async () => {
    await send('guarded', 'control', { visitors: 200, good: 80, bad: 20 });
    await send('guarded', 'b', { visitors: 200, good: 40, bad: 150 });
  });

  it('the answer rate is a goal, the share of an option a guardrail', async () => {
    const results = await shop.results('guarded');
    expect(results.health).toMatchObject({ healthy: true, problems: [] });
    expect(results.goals.map(({ goalId, kind, role }: Body) => [goalId, kind, role])).toEqual([
      ['feedback:nps', 'feedback', 'primary'],
      ['signup', 'count', 'secondary'],
      ['feedback:nps:bad', 'feedback', 'guardrail'],
    ]);
    const answered = goalOf(results, 'feedback:nps');
    expect(answered).toMatchObject({
      name: 'NPS answered',
      feedbackTypeId: 'nps',
      option: null,
      lowerIsBetter: false,
      counts: [
        { key: 'control', visitors: 200, answered: 100, converted: 100 },
        { key: 'b', visitors: 200, answered: 190, converted: 190 },
      ],
      metrics: [
        {
          metric: 'answer-rate',
          decides: true,
          variations: [
            { key: 'control', n: 200, mean: 0.5 },
            { key: 'b', n: 200, mean: 0.95, pValue: expect.any(Number) },
          ],
        },
      ],
    });
    const bad = goalOf(results, 'feedback:nps:bad');
    expect(bad).toMatchObject({
      name: 'NPS: bad',
      feedbackTypeId: 'nps',
      option: 'bad',
      lowerIsBetter: true,
      counts: [
        { visitors: 200, answered: 100, converted: 20 },
        { visitors: 200, answered: 190, converted: 150 },
      ],
      metrics: [
        {
          metric: 'option-share',
          decides: true,
          variations: [
            { n: 100, mean: 0.2 },
            { n: 190, mean: 150 / 190 },
          ],
        },
        {
          metric: 'answer-rate',
          decides: false,
          variations: [
            { n: 200, mean: 0.5 },
            { n: 200, mean: 0.95 },
          ],
        },
      ],
    });
    const { absolute, pValue } = bad.metrics[0].variations[1];
    expect(absolute.low).toBeGreaterThan(0);
    expect(pValue).toBeLessThan(0.001);
    // The primary goal and guardrails are separate families, so that none makes the other harder to find.
    for (const { metrics } of [answered, bad]) {
      expect(metrics[0].variations[1].adjustedPValue).toBe(metrics[0].variations[1].pValue);
    }
    // More visitors answer, but the answers are worse.
    expect(results.verdict).toMatchObject({
      decision: 'roll-back',
      variation: 'b',
      harmedGuardrails: ['NPS: bad'],
      sentences: { guardrails: expect.stringMatching(/^Guardrails: NPS: bad got worse, 20 % → 79 %, \+/) },
    });
  });

  it('by segment and by day', async () => {
    const { breakdown, series } = await shop.results('guarded', { by: 'plan', include: 'series' });
    for (const segment of breakdown.segments) {
      const [share] = goalOf(segment, 'feedback:nps:bad').metrics;
      expect(share).toMatchObject({ metric: 'option-share', variations: [{ n: 50, mean: 0.2 }, { n: 95 }] });
    }
    const { days, cumulative } = goalOf(series.at(-1), 'feedback:nps:bad');
    expect(cumulative).toMatchObject({ metric: 'option-share', variations: [{ n: 100 }, { n: 190 }] });
    expect(days).toMatchObject([{ key: 'control' }, { key: 'b' }]);
  });

  it('in a CSV file', async () => {
    const { text } = await exportOf({ splitTestKey: 'guarded', format: 'csv' });
    const [header, ...rows] = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const columns = ['variation', 'goal', 'goal_kind', 'converted_visitors', 'answered_visitors'];
    const picked = rows.map((row) => columns.map((name) => row[header!.indexOf(name)]));
    expect(picked).toContainEqual(['b', 'feedback:nps:bad', 'feedback', '150', '190']);
    expect(picked).toContainEqual(['b', 'signup', 'count', '0', '']);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([header!.length]));
  });

  it('in a bundle that can be recomputed; a changed definition is detected', async () => {
    const { body } = await exportOf({ splitTestKey: 'guarded' });
    expect(body.definition.guardrails).toEqual([BAD]);
    expect(await verify(body)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The results match/),
    });
    const stderrOf = async (change: (bundle: Body) => void) => {
      const forged = structuredClone(body);
      change(forged);
      return (await verify(forged)).stderr;
    };
    expect(
      await stderrOf(({ definition }) => {
        definition.guardrails[0].lowerIsBetter = false;
        definition.goals[0].option = 'good';
      }),
    ).toMatch(/definition\.goals\.0\.option: .+definition\.guardrails\.0\.lowerIsBetter: /s);
    const answers = (bundle: Body) =>
      bundle.input.groups.find(({ variationKey }: Body) => variationKey === 'b').goals;
    expect(
      await stderrOf((bundle) => {
        for (const goal of answers(bundle)) if (goal.goalId === 'feedback:nps') goal.converted += 5;
      }),
    ).toMatch(/results\.goals\.2\.metrics\.0\.variations\.1\.n: the bundle has 190, recomputed: 195/);
  });

  const verify = (bundle: Body) => {
    const file = join(shop.server.dataDir, 'bundle.json');
    writeFileSync(file, JSON.stringify(bundle));
    return switchyard(shop.server, 'verify', file);
  };
});

describe('an option as the primary goal', () => {
  it('that is chosen less often ships, if lower is better', async () => {
    await send('rated', 'control', { visitors: 150, good: 30, bad: 90 });
    await send('rated', 'b', { visitors: 150, good: 90, bad: 30 });
    const results = await shop.results('rated');
    expect(results.verdict).toMatchObject({ decision: 'ship', variation: 'b' });
    expect(results.verdict.sentences.primary).toMatch(/^NPS: bad: 75 % → 25 %, -67 %, between -/);
  });

  it('needs enough visitors who chose it', async () => {
    await send('silent', 'control', { visitors: 60, good: 30, bad: 26 });
    await send('silent', 'b', { visitors: 60, good: 50, bad: 3 });
    const { health, verdict } = await shop.results('silent');
    expect(health.problems).toEqual([]);
    expect(verdict).toMatchObject({
      decision: 'collecting',
      collecting: { conversions: 29, required: 50 },
    });
  });
});
