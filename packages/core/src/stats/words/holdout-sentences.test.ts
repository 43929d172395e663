import { describe, expect, it } from 'vitest';
import { comparedGoalOf } from '../../testing/report-cases.ts';
import type { Interval } from '../comparison.ts';
import type { ComparedGoal } from '../report/holdout-findings.ts';
import type { MetricName } from '../report/report-metrics.ts';
import { describeHoldoutGoal, describeHoldoutSplit, summarizeHoldout } from './holdout-words.ts';

interface Given {
  readonly name?: string;
  readonly metric?: MetricName;
  readonly heldOut?: number | null;
  readonly mean?: number | null;
  readonly relative?: Interval | null;
  readonly absolute?: Interval | null;
  readonly collecting?: ComparedGoal['collecting'];
}

const interval = (estimate: number, low: number | null, high: number | null) => ({ estimate, low, high });

function compared(finding: ComparedGoal['finding'], given: Given = {}): ComparedGoal {
  const { name = 'Sign-ups', metric = 'conversion-rate', collecting = null } = given;
  const { heldOut = 0.1, mean = 0.12, relative = interval(0.2, 0.05, 0.35) } = given;
  const { absolute = interval(0.02, 0.005, 0.035) } = given;
  return {
    finding,
    collecting,
    report: comparedGoalOf(name, metric, [
      { key: 'held-out', mean: heldOut },
      { key: 'others', mean, relative, absolute },
    ]),
  };
}

const summary = (goals: readonly ComparedGoal[], share = 1, problems: readonly string[] = []) =>
  summarizeHoldout({
    goals,
    share,
    problems: problems.map((words) => ({ words })),
    currency: 'EUR',
  });

describe('the summary', () => {
  const open = (unclear: number, collecting: number) => [
    ...Array.from({ length: unclear }, () => compared('unclear')),
    ...Array.from({ length: collecting }, () => compared('collecting')),
  ];

  it.each([
    [1, 0, '1 goal may differ by chance alone.'],
    [2, 0, '2 goals may differ by chance alone.'],
    [0, 1, '1 goal has too few conversions to compare.'],
    [0, 2, '2 goals have too few conversions to compare.'],
    [1, 1, '1 goal may differ by chance alone; 1 has too few conversions to compare.'],
    [2, 3, '2 goals may differ by chance alone; 3 have too few conversions to compare.'],
  ])('counts %i goals that may differ and %i without data', (unclear, collecting, text) => {
    expect(summary(open(unclear, collecting))).toBe(`No difference is proven yet: ${text}`);
    const better = [compared('better'), ...open(unclear, collecting)];
    const other = text.replace(/goal/, 'other goal');
    expect(summary(better)).toBe(`Visitors outside of the holdout do better on Sign-ups (+20 %). ${other}`);
  });

  it('names up to five goals that differ', () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, index) => compared('worse', { name: 'ABCDEFG'[index]! }));
    expect(summary(named(1))).toBe('Visitors outside of the holdout do worse on A (+20 %).');
    const five = 'A (+20 %), B (+20 %), C (+20 %), D (+20 %)';
    expect(summary(named(5))).toBe(`Visitors outside of the holdout do worse on ${five} and E (+20 %).`);
    expect(summary(named(6))).toBe(
      `Visitors outside of the holdout do worse on ${five}, E (+20 %) and 1 more goal.`,
    );
    expect(summary(named(7))).toMatch(/ and 2 more goals\.$/);
  });

  it('says what is better and what is worse', () => {
    const goals = [compared('worse', { name: 'Calls' }), compared('better')];
    expect(summary(goals)).toBe(
      'Visitors outside of the holdout do better on Sign-ups (+20 %) and worse on Calls (+20 %).',
    );
  });

  it('says what was counted, and what is wrong', () => {
    const sample = ' Counted from a random sample of 25 % of the visitors.';
    expect(summary([], 0.25)).toBe(`The property has no goals to compare.${sample}`);
    expect(summary([])).toBe('The property has no goals to compare.');
    expect(summary([compared('better')], 0.25)).toBe(
      `Visitors outside of the holdout do better on Sign-ups (+20 %).${sample}`,
    );
    expect(summary([compared('better')], 0.25, ['One.', 'Two.'])).toBe(`One. Two.${sample}`);
    expect(summary([compared('better')], 1, ['One.'])).toBe('One.');
  });
});

describe('a goal', () => {
  const words = (finding: ComparedGoal['finding'], given: Given = {}, comparisons = 1) =>
    describeHoldoutGoal(compared(finding, given), comparisons, 'EUR');

  it('that differs has its change and range', () => {
    const text = 'Visitors outside of the holdout convert 20 % more, between +5 % and +35 %';
    expect(words('better')).toBe(`${text}.`);
    expect(words('worse')).toBe(`${text}.`);
    expect(words('unhealthy')).toBe(`${text}; do not rely on it.`);
  });

  it('that falls, or stays the same', () => {
    const fall = { absolute: interval(-0.02, -0.035, 0), relative: interval(-0.2, -0.35, 0) };
    expect(words('worse', fall)).toBe(
      'Visitors outside of the holdout convert 20 % less, between -35 % and +0 %.',
    );
    const same = { absolute: interval(0, -0.01, 0.01), relative: interval(0, -0.1, 0.1) };
    expect(words('unclear', same)).toBe(
      'Visitors outside of the holdout convert as much as those in it, between -10 % and +10 %, which could still be chance.',
    );
    expect(words('unclear', { ...same, metric: 'revenue-per-visitor' })).toBe(
      'Visitors outside of the holdout bring as much revenue per visitor as those in it, between -10 % and +10 %, which could still be chance.',
    );
  });

  it.each([
    [0.05, null, ', at least +5 %'],
    [null, 0.35, ', at most +35 %'],
    [null, null, ', range not known yet'],
  ])('has limits as far as they are known: %s and %s', (low, high, range) => {
    expect(words('better', { relative: interval(0.2, low, high) })).toBe(
      `Visitors outside of the holdout convert 20 % more${range}.`,
    );
  });

  it('is written in its unit if the holdout has no positive mean', () => {
    const money = { metric: 'revenue-per-visitor', absolute: interval(-1.5, -2, -1) } as const;
    const expected =
      'Visitors outside of the holdout bring €1.50 less revenue per visitor, between -€2.00 and -€1.00.';
    expect(words('worse', { ...money, heldOut: 0 })).toBe(expected);
    expect(words('worse', { ...money, heldOut: null })).toBe(expected);
    expect(words('worse', { ...money, heldOut: -3 })).toBe(expected);
    expect(words('worse', { ...money, relative: null })).toBe(expected);
    expect(summary([compared('worse', { ...money, relative: null })])).toBe(
      'Visitors outside of the holdout do worse on Sign-ups (-€1.50).',
    );
  });

  it('that could be chance says so, and if only because several goals are compared', () => {
    const text = 'Visitors outside of the holdout convert 20 % more, between';
    const chance = 'which could still be chance';
    expect(words('unclear', {}, 1)).toBe(`${text} +5 % and +35 %, ${chance}.`);
    expect(words('unclear', {}, 2)).toBe(`${text} +5 % and +35 %, ${chance} because 2 goals are compared.`);
    const around = { relative: interval(0.2, 0, 0.35) };
    expect(words('unclear', around, 9)).toBe(`${text} +0 % and +35 %, ${chance}.`);
    const below = { relative: interval(-0.2, -0.35, -0.05), absolute: interval(-0.02, -0.1, 0) };
    expect(words('unclear', below, 1200)).toBe(
      `Visitors outside of the holdout convert 20 % less, between -35 % and -5 %, ${chance} because 1,200 goals are compared.`,
    );
    expect(words('unclear', { relative: interval(-0.2, -0.35, 0) }, 9)).toMatch(
      /, which could still be chance\.$/,
    );
    expect(words('unclear', { relative: interval(0.2, null, null) }, 9)).toMatch(
      /, range not known yet, which could still be chance\.$/,
    );
  });

  it('with too little data has its progress', () => {
    const collecting = { conversions: 1043, required: 2500 };
    expect(words('collecting', { collecting })).toBe(
      'Too early: 1,043 of about 2,500 converted visitors that a comparison needs.',
    );
    expect(words('unhealthy', { collecting })).toMatch(/^Visitors outside of the holdout convert/);
    for (const given of [{ mean: null }, { absolute: null }, { collecting, mean: null }]) {
      expect(words('collecting', given)).toBe('There is nothing to compare yet.');
    }
  });
});

describe('a wrong split', () => {
  const words = (pValue: number) =>
    describeHoldoutSplit({
      problem: 'sample-ratio-mismatch',
      pValue,
      visitors: [
        { key: 'held-out', visitors: 1200, expected: 1000 },
        { key: 'others', visitors: 8800, expected: 9000 },
      ],
    });
  const text = (chance: string) =>
    `The visitors are not split as planned: 1,200 of 10,000 (12 %) are in the holdout instead of about 1,000 (10 %), which happens by chance ${chance}. Check that visitors keep their id between pages, and that no variation of a test keeps pages from recording sessions.`;

  it('says how likely it is', () => {
    expect(words(0.000_97)).toBe(text('about once in 1,000 reports'));
    expect(words(0.000_81)).toBe(text('about once in 1,200 reports'));
    expect(words(1e-9)).toBe(text('about once in 1,000,000,000 reports'));
    expect(words(0.99e-9)).toBe(text('practically never'));
  });
});
