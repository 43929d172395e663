import { describe, expect, it } from 'vitest';
import { comparedGoalOf } from '../../testing/report-cases.ts';
import type { MetricName } from '../report/report-metrics.ts';
import { type AaCause, type AaFacts, aaWords } from './aa-words.ts';

const words = (more: Partial<AaFacts>) =>
  aaWords({
    mode: 'assignment',
    share: 1,
    verdict: 'sound',
    visitors: [6162, 6138],
    causes: [],
    goals: 3,
    comparedGoals: 3,
    ...more,
  });

const differs = (
  name: string,
  means: readonly (number | null)[],
  metric: MetricName = 'conversion-rate',
  pValue = 0.0123,
): AaCause => ({
  cause: 'goal',
  pValue,
  goal: comparedGoalOf(
    name,
    metric,
    means.map((mean) => ({ key: 'x', mean })),
  ),
});

const chance =
  'By chance alone, at most 5 % of rounds raise an alarm: if the next round is sound, it was probably chance.';
const checkGoals =
  'Check that every conversion is sent once and with the session of its visitor, and that no single visitor or crawler makes the difference.';

describe('a sound round', () => {
  const split = 'Sound: 12,300 visitors were split 50.1 % to 49.9 %';

  it.each([
    [3, 3, 'none of 3 goals differs.'],
    [1, 1, 'the goal does not differ.'],
    [0, 0, 'there are no goals to compare.'],
    [3, 2, 'none of 2 goals differs; 1 goal has too few conversions to compare.'],
    [4, 1, 'the goal does not differ; 3 goals have too few conversions to compare.'],
  ])('says what was compared: %i goals, of which %i have data', (goals, comparedGoals, text) => {
    expect(words({ goals, comparedGoals })).toBe(`${split}, and ${text}`);
  });

  it('says how many were counted', () => {
    expect(words({ share: 0.999 })).toContain('12,300 visitors (a random sample of 100 %) were split');
    expect(words({ share: 1 })).toContain('12,300 visitors were split');
  });
});

describe('a round that collects data', () => {
  const collecting = (visitors: readonly number[], mode: AaFacts['mode'] = 'assignment') =>
    words({ verdict: 'collecting', visitors, mode, comparedGoals: 0 });

  it('needs 100 visitors, then conversions', () => {
    expect(collecting([1, 0])).toBe('Collecting: 1 visitor so far; it takes 100.');
    expect(collecting([40, 59])).toBe('Collecting: 99 visitors so far; it takes 100.');
    expect(collecting([40, 60])).toBe(
      'Collecting: 100 visitors were split 40.0 % to 60.0 %, which is within chance; no goal has 50 converted visitors yet.',
    );
  });

  it('says what pages must do only if nothing arrives from them', () => {
    const hint = ' Pages must ask the SDK for the split test "aa-test".';
    expect(collecting([0, 0], 'exposures')).toBe(`Collecting: 0 visitors so far; it takes 100.${hint}`);
    expect(collecting([0, 1], 'exposures')).toBe('Collecting: 1 visitor so far; it takes 100.');
    expect(collecting([0, 0])).toBe('Collecting: 0 visitors so far; it takes 100.');
  });
});

describe('an alarm', () => {
  const alarm = (causes: readonly AaCause[], more: Partial<AaFacts> = {}) =>
    words({ verdict: 'alarm', causes, ...more });

  it('about the split says what to check, by how visitors are counted', () => {
    const split = { cause: 'split', pValue: 0.00123 } as const;
    expect(alarm([split])).toBe(
      `Alarm: 12,300 visitors were split 50.1 % to 49.9 % instead of 50 % to 50 % (p = 0.0012). Check that every visitor has an id of their own and keeps it, and that nothing filters sessions out. ${chance}`,
    );
    expect(alarm([{ ...split, pValue: 0.001 }], { mode: 'exposures' })).toBe(
      `Alarm: 12,300 visitors were split 50.1 % to 49.9 % instead of 50 % to 50 % (p = 0.0010). Check that pages send the exposures of both variations, and that every visitor has an id of their own and keeps it. ${chance}`,
    );
    expect(alarm([{ ...split, pValue: 0.000_99 }])).toContain('(p < 0.001)');
  });

  it('about goals has their values', () => {
    const two = [
      differs('Sign-ups', [0.1, 0.05]),
      differs('Orders', [null, 1.9], 'revenue-per-visitor', 0.0004),
    ];
    const text = (zero: string, amount: string) =>
      `Alarm: "Sign-ups" differs between two groups that are treated alike: 10.0 % and 5.0 % of the visitors converted (p = 0.012). "Orders" differs between two groups that are treated alike: ${zero} and ${amount} per visitor (p < 0.001). ${checkGoals} ${chance}`;
    expect(alarm(two)).toBe(text('$0.00', '$1.90'));
    expect(alarm(two, { currency: 'EUR' })).toBe(text('€0.00', '€1.90'));
  });

  it('names three goals, and counts the others', () => {
    const named = ['A', 'B', 'C', 'D', 'E'].map((name) => differs(name, [0.1, 0.05]));
    const one = (name: string) =>
      `"${name}" differs between two groups that are treated alike: 10.0 % and 5.0 % of the visitors converted (p = 0.012).`;
    const three = `Alarm: ${one('A')} ${one('B')} ${one('C')}`;
    expect(alarm(named.slice(0, 3))).toBe(`${three} ${checkGoals} ${chance}`);
    expect(alarm(named.slice(0, 4))).toBe(`${three} So does 1 other goal. ${checkGoals} ${chance}`);
    expect(alarm(named)).toBe(`${three} So do 2 other goals. ${checkGoals} ${chance}`);
  });

  it('has the split first, then goals, then tracking', () => {
    const tracking = { cause: 'tracking', words: 'Exposures are missing.' } as const;
    const split = { cause: 'split', pValue: 1e-5 } as const;
    const text = alarm([tracking, differs('A', [0.1, 0.05]), split]);
    expect(text).toMatch(/^Alarm: 12,300 visitors.*"A" differs.*Check that every conversion.*Exposures are/);
    expect(alarm([tracking])).toBe(`Alarm: Exposures are missing. ${chance}`);
  });
});
