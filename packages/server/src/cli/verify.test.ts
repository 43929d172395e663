import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { buildReport, REPORT_VERSION } from '@switchyard/core/stats/report/report';
import { expect, test } from 'vitest';
import { run } from '../testing/command-line.ts';
import { BIN, type TestResponse } from '../testing/test-server.ts';

/** As exported by the last release with engine version 1; it cannot be made again. */
const OLD_BUNDLE = readFileSync(new URL('./cases/bundle-version-1.json', import.meta.url), 'utf8');

const verify = (bundle: string) => run(process.execPath, [BIN, 'verify'], { cwd: tmpdir(), input: bundle });

/** The old bundle after a change. */
function changed(change: (bundle: TestResponse['body']) => void): string {
  const bundle = JSON.parse(OLD_BUNDLE);
  change(bundle);
  return JSON.stringify(bundle);
}

const MATCH = { code: 0, stdout: 'The results match: 3 goals, 900 visitors.\n', stderr: '' };

test('a bundle of engine version 1 still verifies', async () => {
  expect(JSON.parse(OLD_BUNDLE).engineVersion).toBe(1);
  expect(await verify(OLD_BUNDLE)).toEqual(MATCH);
});

test('a bundle of the current version verifies', async () => {
  const current = changed((bundle) =>
    Object.assign(bundle, { engineVersion: REPORT_VERSION, results: buildReport(bundle.input) }),
  );
  expect(await verify(current)).toEqual(MATCH);
});

test('a bundle of a group-sequential test verifies, and its texts are checked too', async () => {
  const planned = changed((bundle) => {
    for (const part of [bundle.input, bundle.definition]) part.plannedVisitors = 2000;
    const engine = { engine: 'auto', spending: 'pocock' };
    for (const part of [bundle.input.statistics, bundle.method]) Object.assign(part, engine);
    Object.assign(bundle, { engineVersion: REPORT_VERSION, results: buildReport(bundle.input) });
  });
  expect(JSON.parse(planned).results.engine).toBe('group-sequential');
  expect(await verify(planned)).toEqual(MATCH);
  const { code, stderr } = await verify(planned.replaceAll('Next: ', 'Now: '));
  expect(code).toBe(1);
  expect(stderr).toMatch(/results\.verdicts\.0\.sentences\.next: the bundle has "Now: /);
});

test('changed results or counts of an old bundle are detected, with their paths', async () => {
  const results = await verify(
    changed((bundle) => {
      bundle.results.verdict.decision = 'ship';
      bundle.results.goals[0].metrics[0].variations[1].pValue = 0.01;
    }),
  );
  expect(results.code).toBe(1);
  expect(results.stderr.split('\n')).toEqual([
    'switchyard: The results do not match the definition, method and counts:',
    expect.stringMatching(
      /^ {2}results\.goals\.0\.metrics\.0\.variations\.1\.pValue: the bundle has 0\.01, recomputed: 0\.\d+$/,
    ),
    '  results.verdict.decision: the bundle has "ship", recomputed: "keep-going"',
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

test('an old bundle with another definition or method is detected', async () => {
  const { code, stderr } = await verify(
    changed(({ definition, method }) => {
      delete definition.smallestEffect;
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

test('a definition may lack settings that later versions added, if the computation did not use them', async () => {
  const older = changed(({ definition, input, results }) => {
    delete definition.plannedVisitors;
    input.plannedVisitors = null;
    for (const verdict of [results.verdict, ...results.verdicts]) verdict.plannedVisitors = null;
  });
  expect(await verify(older)).toEqual(MATCH);
});

test.each([3, 0, '1', undefined])('engine version %j is unknown', async (engineVersion) => {
  expect(await verify(changed((bundle) => Object.assign(bundle, { engineVersion })))).toEqual({
    code: 1,
    stdout: '',
    stderr: `switchyard: The bundle was computed by engine version ${engineVersion}; this release can verify versions 1 and 2.\n`,
  });
});
