import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyse } from '@switchyard/core/stats/analysis';
import { readAnalysis } from '@switchyard/core/stats/analysis-input';
import { NO_COMPARISON } from '@switchyard/core/stats/comparison';
import { run } from '@switchyard/testing/server/command-line';
import { BIN } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-stats-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const stats = (args: readonly string[], input = '') =>
  run(process.execPath, [BIN, 'stats', ...args], { cwd: directory, input });

const NUMBERS = {
  method: 'frequentist',
  metric: 'mean',
  control: 'old',
  weights: { new: 1, old: 2 },
  variations: [
    { key: 'old', n: 200, sum: 420.5, sumSquares: 2300 },
    { key: 'new', n: 100, sum: 260, sumSquares: 1500 },
    { key: 'empty', n: 0, sum: 0, sumSquares: 0 },
  ],
};
const WEIGHTED = { ...NUMBERS, weights: { ...NUMBERS.weights, empty: 0 } };

describe('switchyard stats', () => {
  test('prints the analysis with exactly the documented keys', async () => {
    const { code, stdout, stderr } = await stats(['-'], JSON.stringify(WEIGHTED));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const reading = readAnalysis(WEIGHTED);
    if ('mistakes' in reading) throw new Error('The input is valid.');
    const { variations, srm } = analyse(reading.analysis);
    expect(JSON.parse(stdout)).toEqual({ variations, srm: { pValue: srm?.pValue } });
    const [control, variation, empty] = JSON.parse(stdout).variations;
    expect(control).toEqual({ key: 'old', n: 200, mean: 2.1025, ...NO_COMPARISON });
    expect(empty).toEqual({ key: 'empty', n: 0, mean: null, ...NO_COMPARISON });
    expect(variation).toEqual({
      key: 'new',
      n: 100,
      mean: 2.6,
      absolute: { estimate: expect.closeTo(0.4975, 9), low: expect.any(Number), high: expect.any(Number) },
      relative: {
        estimate: expect.closeTo(0.4975 / 2.1025, 9),
        low: expect.any(Number),
        high: expect.any(Number),
      },
      standardError: expect.any(Number),
      pValue: expect.any(Number),
      chanceToBeat: null,
      expectedLoss: null,
    });
  });

  test('prints the boundaries of a group-sequential test', async () => {
    const arm = { n: 5000, sum: 500 };
    const input = {
      method: 'group-sequential',
      metric: 'proportion',
      control: 'a',
      plannedVisitors: 10_000,
      earlierLooks: [2000, 4000, 6000, 8000],
      variations: [
        { key: 'a', ...arm },
        { key: 'b', ...arm, sum: 570 },
      ],
    };
    const criticals = async (spending: string) => {
      const { looks, variations } = JSON.parse(
        (await stats([], JSON.stringify({ ...input, spending }))).stdout,
      );
      expect(variations[1].pValue).toBeLessThan(0.05);
      return looks.map(({ critical }: { critical: number }) => Number(critical.toFixed(3)));
    };
    expect(await criticals('obrien-fleming')).toEqual([4.877, 3.357, 2.68, 2.29, 2.031]);
    input.variations[1]!.sum = 590;
    expect(await criticals('pocock')).toEqual([2.438, 2.427, 2.41, 2.397, 2.386]);
  });

  test('reads a file, or standard input by default', async () => {
    const text = JSON.stringify({ ...NUMBERS, weights: undefined, method: 'bayesian' });
    writeFileSync(join(directory, 'numbers.json'), `\uFEFF${text}`);
    const [file, dash, nothing] = await Promise.all([
      stats(['numbers.json']),
      stats(['-'], text),
      stats([], text),
    ]);
    expect(file).toEqual(dash);
    expect(file).toEqual(nothing);
    const { variations, srm } = JSON.parse(file.stdout);
    expect(srm).toBeNull();
    expect(variations[1]).toMatchObject({ pValue: null, chanceToBeat: expect.any(Number) });
    const missing = await stats(['missing.json']);
    expect(missing).toEqual({
      code: 1,
      stdout: '',
      stderr: 'switchyard: Cannot read missing.json: the file does not exist.\n',
    });
  });

  test('reports every invalid field, and prints nothing else', async () => {
    const wrong = {
      ...NUMBERS,
      alpha: 5,
      variations: [NUMBERS.variations[0], { key: 'new', n: -3, sum: 1 }],
    };
    const { code, stdout, stderr } = await stats([], JSON.stringify(wrong));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'switchyard: standard input has 3 mistakes.',
      '  alpha must be greater than 0 and less than 1',
      '  variations[1].n must be an integer number of visitors, at least 0',
      '  variations[1].sumSquares is missing',
      '',
    ]);
    const notJson = await stats([], '{"method":');
    expect(notJson).toMatchObject({ code: 1, stdout: '' });
    expect(notJson.stderr).toMatch(/^switchyard: standard input is not JSON: .*\n$/);
  });

  test('has a working example in its help', async () => {
    const { code, stdout } = await stats(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Exit codes: 0 .*\n[\s\S]*Examples:\n/);
    const example = /\$ (echo [\s\S]*) \| switchyard stats/.exec(stdout)![1]!;
    const shown = await run('sh', ['-c', `${example} | "${process.execPath}" "${BIN}" stats`], {
      cwd: directory,
    });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout).variations[1].pValue).toBeLessThan(0.05);
  });
});
