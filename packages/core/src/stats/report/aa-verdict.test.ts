import { describe, expect, it } from 'vitest';
import { aaGoal, aaVerdictOn, side } from '../../testing/aa-rounds.ts';
import { START } from '../../testing/report-cases.ts';
import { DAY_MS } from '../../time.ts';
import { aaSummary } from '../words/aa-words.ts';
import { AA_METHOD } from './aa-method.ts';

describe('the verdict of an A/A test', () => {
  it('is sound if the split is even and no goal differs', () => {
    const goals = ['signup', 'order', 'call'].map((id) => aaGoal(id));
    const more = { order: 90, call: 60 };
    const verdict = aaVerdictOn([side(6162, 400, more), side(6138, 410, more)], goals);
    expect(verdict).toMatchObject({ verdict: 'sound', visitors: [6162, 6138] });
    expect(verdict.words).toBe(
      'Sound: 12,300 visitors were split 50.1 % to 49.9 %, and none of 3 goals differs.',
    );
    expect(verdict.splitPValue).toBeGreaterThan(0.5);
    expect(verdict.goals.map(({ goalId }) => goalId)).toEqual(['signup', 'order', 'call']);
    expect(verdict.goals.every(({ pValue }) => pValue !== null && pValue > 0.5)).toBe(true);
  });

  it('names goals that cannot be compared yet, and a property without goals', () => {
    const goals = [aaGoal('signup'), aaGoal('order')];
    expect(aaVerdictOn([side(1000, 50, { order: 9 }), side(1000, 50)], goals)).toMatchObject({
      verdict: 'sound',
      words:
        'Sound: 2,000 visitors were split 50.0 % to 50.0 %, and the goal does not differ; 1 goal has too few conversions to compare.',
      goals: [{ goalId: 'signup' }, { goalId: 'order', pValue: null }],
    });
    expect(aaVerdictOn([{ visitors: 1000 }, { visitors: 1000 }], [])).toMatchObject({
      verdict: 'sound',
      words: 'Sound: 2,000 visitors were split 50.0 % to 50.0 %, and there are no goals to compare.',
    });
  });

  it('says if only a sample was counted', () => {
    const { words } = aaVerdictOn([side(1000, 90), side(1000, 90)], undefined, { share: 0.25 });
    expect(words).toContain('2,000 visitors (a random sample of 25 %) were split');
  });

  it('is collecting with few visitors or few conversions', () => {
    expect(aaVerdictOn([side(50, 40), side(49, 1)])).toMatchObject({
      verdict: 'collecting',
      words: 'Collecting: 99 visitors so far; it takes 100.',
      splitPValue: null,
      goals: [{ pValue: null }],
    });
    expect(aaVerdictOn([side(1, 0), side(0, 0)]).words).toBe('Collecting: 1 visitor so far; it takes 100.');
    expect(aaVerdictOn([side(510, 20), side(490, 29)])).toMatchObject({
      verdict: 'collecting',
      words:
        'Collecting: 1,000 visitors were split 51.0 % to 49.0 %, which is within chance; no goal has 50 converted visitors yet.',
    });
    expect(aaVerdictOn([side(0, 0), side(0, 0)], undefined, { mode: 'exposures' }).words).toBe(
      'Collecting: 0 visitors so far; it takes 100. Pages must ask the SDK for the split test "aa-test".',
    );
  });

  it('is an alarm if the split is off, even without conversions', () => {
    const verdict = aaVerdictOn([side(5500, 0), side(5000, 0)]);
    expect(verdict.verdict).toBe('alarm');
    expect(verdict.splitPValue).toBeLessThan(AA_METHOD.splitAlpha);
    expect(verdict.words).toMatch(
      /^Alarm: 10,500 visitors were split 52\.4 % to 47\.6 % instead of 50 % to 50 % \(p < 0\.001\)\. Check that every visitor/,
    );
    expect(verdict.words).toMatch(/By chance alone, at most 5 % of rounds raise an alarm/);
  });

  it('is an alarm if a goal differs, also if one side lost all of its conversions', () => {
    const doubled = aaVerdictOn([side(3000, 300), side(3000, 150)]);
    expect(doubled.verdict).toBe('alarm');
    expect(doubled.words).toMatch(
      /^Alarm: "signup" differs between two groups that are treated alike: 10\.0 % and 5\.0 % of the visitors converted \(p < 0\.001\)\. Check that every conversion/,
    );
    expect(aaVerdictOn([side(3000, 120), side(3000, 0)]).verdict).toBe('alarm');
    const revenue = { ...aaGoal('paid', 'revenue'), name: 'Revenue' };
    const paid = (converted: number) => ({ visitors: 4000, converted: { paid: converted }, dollars: 20 });
    expect(aaVerdictOn([paid(400), paid(200)], [revenue]).words).toContain(
      '"Revenue" differs between two groups that are treated alike: $2.00 and $1.00 per visitor',
    );
  });

  it('names at most three of the goals that differ', () => {
    const ids = ['one', 'two', 'three', 'four', 'five'];
    const all = (number: number) => Object.fromEntries(ids.map((id) => [id, number]));
    const { words } = aaVerdictOn(
      [side(9000, 900, all(900)), side(9000, 450, all(450))],
      ids.map((id) => aaGoal(id)),
    );
    expect(words.match(/differs between/g)).toHaveLength(3);
    expect(words).toContain('So do 2 other goals.');
  });

  it('is an alarm about tracking only if exposures were recorded', () => {
    const sides = [side(3000, 150), side(3000, 150)] as const;
    const exposures = [0, 1, 2, 4, 5, 6, 7, 8, 9].map((day) => ({
      at: START + day * DAY_MS,
      variationKey: 'a',
      bot: false,
      exposures: 600,
    }));
    const recorded = { mode: 'exposures', mixed: 500, exposures } as const;
    const { verdict, words } = aaVerdictOn(sides, undefined, recorded);
    expect(verdict).toBe('alarm');
    expect(words).toMatch(/1 day.*500 visitors/);
    expect(aaVerdictOn(sides, undefined, { ...recorded, mode: 'assignment' }).verdict).toBe('sound');
  });
});

describe('the summary of the rounds', () => {
  it.each([
    [[], 'No round has finished yet.'],
    [['sound'], '1 of 1 finished round was sound.'],
    [Array(12).fill('sound'), '12 of 12 finished rounds were sound.'],
    [
      ['sound', 'alarm', 'collecting', 'collecting'],
      '1 of 4 finished rounds were sound; 1 ended with an alarm; 2 had too little data.',
    ],
  ] as const)('of %j', (verdicts, words) => {
    expect(aaSummary(verdicts)).toBe(words);
  });
});
