import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { buildReport, REPORT_VERSION } from '@switchyard/core/stats/report/report';
import { run } from '@switchyard/testing/server/command-line';
import { BIN, type TestResponse } from '@switchyard/testing/server/test-server';
import { expect, test } from 'vitest';

/** Without results: they are computed by this version. */
const BUNDLE = readFileSync(new URL('./cases/bundle.json', import.meta.url), 'utf8');

const verify = (bundle: string) => run(process.execPath, [BIN, 'verify'], { cwd: tmpdir(), input: bundle });

type Change = (bundle: TestResponse['body']) => void;

/** A correct bundle, after a change of its input and one of the whole. */
function bundleAfter(changeInput: Change, change: Change = () => {}): string {
  const bundle = JSON.parse(BUNDLE);
  changeInput(bundle);
  // As text, because a report refers to the same figures several times.
  const results = JSON.parse(JSON.stringify(buildReport(bundle.input)));
  Object.assign(bundle, { engineVersion: REPORT_VERSION, results });
  change(bundle);
  return JSON.stringify(bundle);
}

const changed = (change: Change) => bundleAfter(() => {}, change);

const MATCH = { code: 0, stdout: 'The results match: 3 goals, 900 visitors.\n', stderr: '' };

test('a bundle verifies', async () => {
  expect(await verify(changed(() => {}))).toEqual(MATCH);
});

test('a bundle of a group-sequential test verifies, and its texts are checked too', async () => {
  const planned = bundleAfter((bundle) => {
    for (const part of [bundle.input, bundle.definition]) part.plannedVisitors = 2000;
    const engine = { engine: 'auto', spending: 'pocock' };
    for (const part of [bundle.input.statistics, bundle.method]) Object.assign(part, engine);
  });
  expect(JSON.parse(planned).results.engine).toBe('group-sequential');
  expect(await verify(planned)).toEqual(MATCH);
  const { code, stderr } = await verify(planned.replaceAll('Next: ', 'Now: '));
  expect(code).toBe(1);
  expect(stderr).toMatch(/results\.verdicts\.0\.sentences\.next: the bundle has "Now: /);
});

test('changed results or counts are detected, with their paths', async () => {
  const results = await verify(
    changed((bundle) => {
      bundle.results.verdict.decision = 'no-difference';
      bundle.results.goals[0].metrics[0].variations[1].pValue = 0.5;
    }),
  );
  expect(results.code).toBe(1);
  expect(results.stderr.split('\n')).toEqual([
    'switchyard: The results do not match the definition, method and counts:',
    expect.stringMatching(
      /^ {2}results\.goals\.0\.metrics\.0\.variations\.1\.pValue: the bundle has 0\.5, recomputed: 0\.\d+$/,
    ),
    expect.stringMatching(/^ {2}results\.verdict\.decision: the bundle has "no-difference", recomputed: "/),
    '',
  ]);
  const counts = await verify(
    changed(({ input }) => {
      input.groups.find(({ variationKey }: { variationKey: string }) => variationKey === 'b').visitors += 1;
    }),
  );
  expect(counts.code).toBe(1);
  expect(counts.stderr).toMatch(/results\.variations\.1\.visitors: the bundle has 300, recomputed: 301/);
});

test('another definition or method is detected', async () => {
  const { code, stderr } = await verify(
    changed(({ definition, method }) => {
      definition.smallestEffect = null;
      method.alpha = 0.2;
    }),
  );
  expect(code).toBe(1);
  expect(stderr.split('\n').slice(1)).toEqual([
    '  method.alpha: the bundle has 0.2, recomputed: 0.05',
    '  definition.smallestEffect: the bundle has null, recomputed: 0.05',
    '',
  ]);
});

const withMetrics = bundleAfter((bundle) => {
  bundle.definition.goals.push('metric:came-back', 'metric:load');
  for (const settings of [bundle.method, bundle.input.statistics]) settings.stratify = [];
  const goal = { lowerIsBetter: false, role: 'secondary', kind: 'metric' };
  const definition = { format: 'percent', withinDays: 7 };
  bundle.input.goals.splice(
    2,
    0,
    {
      ...goal,
      id: 'metric:came-back',
      metricId: 'came-back',
      name: 'Came back',
      definition: { ...definition, kind: 'retention' },
    },
    {
      ...goal,
      id: 'metric:load',
      metricId: 'load',
      name: 'Load time',
      definition: { ...definition, kind: 'quantile', quantile: 0.5, format: 'seconds' },
    },
  );
  const variations = [
    { variationKey: 'control', visitors: 250, pending: 50 },
    { variationKey: 'b', visitors: 260, pending: 40 },
  ];
  const sums = { sum: 60, sumSquares: 60 };
  bundle.input.metrics = {
    groups: variations.map((it) => ({
      ...it,
      metricId: 'came-back',
      returning: false,
      bot: false,
      reached: 60,
      value: sums,
      denominator: { sum: 0, sumSquares: 0 },
      product: 0,
    })),
    quantiles: variations.map((it) => ({
      ...it,
      metricId: 'load',
      includeBots: false,
      values: 700,
      value: 1.8,
      standardError: 0.1,
    })),
  };
});

test('a bundle with metrics verifies, and other counts of a metric are detected', async () => {
  const stdout = 'The results match: 5 goals, 900 visitors.\n';
  expect(await verify(withMetrics)).toEqual({ code: 0, stdout, stderr: '' });
  const change = async (from: string, to: string) => {
    expect(withMetrics).toContain(from);
    const { code, stderr } = await verify(withMetrics.replace(from, to));
    expect(code).toBe(1);
    return stderr;
  };
  expect(await change('"reached":60', '"reached":61')).toContain(
    'results.goals.2.measured.0.reached: the bundle has 60, recomputed: 61',
  );
  expect(await change('"value":1.8', '"value":1.7')).toContain(
    'results.goals.3.metrics.0.variations.0.mean: the bundle has 1.8, recomputed: 1.7',
  );
  expect(await change('"pending":50', '"pending":49')).toContain('results.notes');
  expect(await change('"metric:load"', '"metric:other"')).toContain('definition.goals.3.id');
});

test.each([2, 0, '1', undefined])('engine version %j is unknown', async (engineVersion) => {
  expect(await verify(changed((bundle) => Object.assign(bundle, { engineVersion })))).toEqual({
    code: 1,
    stdout: '',
    stderr: `switchyard: The bundle was computed by engine version ${engineVersion}; this release can verify version 1.\n`,
  });
});
