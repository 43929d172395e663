import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { convertedOnce, dayAt, groupOf, inputOf, START } from '../../testing/report-cases.ts';
import { DAY_MS } from '../../time.ts';
import { buildReport } from './report.ts';
import { NONE_BEFORE } from './report-counts.ts';
import type { ReportGroup, ReportInput } from './report-input.ts';

function group(
  variationKey: string | null,
  visitors: number,
  converted: number,
  more: Partial<ReportGroup> = {},
): ReportGroup {
  const goals = variationKey === null || more.moved ? [] : [convertedOnce('signup', converted)];
  return groupOf(variationKey, visitors, { goals, ...more });
}

const input = (groups: ReportGroup[], more: Partial<ReportInput> = {}) =>
  inputOf(groups, {
    variations: [
      { key: 'a', weight: 60 },
      { key: 'b', weight: 40 },
    ],
    statistics: { ...DEFAULT_STATISTICS, engine: 'frequentist' },
    asOf: dayAt(2),
    ...more,
  });

const upliftOf = (report: ReturnType<typeof buildReport>) =>
  report.goals[0]!.metrics[0]!.variations[1]!.relative!;

describe('after a change of the weights from 50:50 to 60:40', () => {
  // Nothing differs between the variations, but returning visitors convert twice as often as new ones. Those of b who
  // were moved to a are not counted, so that a has relatively few returning visitors.
  const groups = [
    group('a', 60_000, 6000),
    group('b', 40_000, 4000),
    group('a', 50_000, 10_000, { returning: true }),
    group('b', 40_000, 8000, { returning: true }),
    group('a', 10_000, 0, { returning: true, moved: true }),
  ];

  it('a different mix of new and returning visitors is not an effect', () => {
    const pooled = buildReport(input(groups.map(({ returning: _, ...it }) => it)));
    expect(upliftOf(pooled).estimate).toBeGreaterThan(0.02);
    expect(upliftOf(buildReport(input(groups))).estimate).toBeCloseTo(0, 12);
  });

  it('moved visitors are in no count, but in the check of the split, and a note says so', () => {
    const report = buildReport(input(groups));
    expect(report.variations.map(({ visitors }) => visitors)).toEqual([110_000, 80_000]);
    expect(report.movedVisitors).toBe(10_000);
    expect(report.problems).toEqual([]);
    expect(report.notes).toMatchObject([
      {
        note: 'moved-visitors',
        words: '10,000 visitors saw another variation in an earlier phase and are not counted.',
      },
    ]);
  });
});

it('visitors on two devices do not look like a wrong split: they count by what they saw first', () => {
  const weights = [
    { key: 'a', weight: 90 },
    { key: 'b', weight: 10 },
  ];
  // 5 % of 200,000 visitors got two draws of 90:10; 0.9 % saw both variations.
  const groups = [
    group('a', 179_100, 9000, { firstVariationKey: 'a' }),
    group('b', 19_100, 950, { firstVariationKey: 'b' }),
    group(null, 900, 0, { firstVariationKey: 'a' }),
    group(null, 900, 0, { firstVariationKey: 'b' }),
  ];
  expect(buildReport(input(groups, { variations: weights })).problems).toEqual([]);
  const byCounted = groups.map(({ firstVariationKey: _, ...it }) => it);
  expect(buildReport(input(byCounted, { variations: weights })).problems).toMatchObject([
    { problem: 'sample-ratio-mismatch' },
  ]);
});

describe('after the planned number of visitors', () => {
  const at = START + DAY_MS;
  const planned = input([group('a', 3600, 360), group('b', 2400, 300)], {
    plannedVisitors: 4000,
    plannedEnd: { at, groups: [group('a', 2400, 240), group('b', 1600, 160)] },
  });

  it.each(['frequentist', 'auto'] as const)(
    'the answer stays as it was, and a note says so: %s',
    (engine) => {
      const report = buildReport({ ...planned, statistics: { ...DEFAULT_STATISTICS, engine } });
      expect(report.verdict).toMatchObject({
        decision: 'no-difference',
        reason: 'planned-end',
        visitors: 4000,
      });
      expect(report.goals[0]!.counts.map(({ converted }) => converted)).toEqual([240, 160]);
      expect(report.variations.map(({ visitors }) => visitors)).toEqual([3600, 2400]);
      expect(report.notes).toMatchObject([{ note: 'planned-end', at, visitors: 4000 }]);
    },
  );

  it('guardrails go on', () => {
    const goals = [
      { ...planned.goals[0]!, id: 'other', name: 'Other' },
      { ...planned.goals[0]!, role: 'guardrail' as const },
    ];
    expect(buildReport({ ...planned, goals }).goals[1]!.counts.map(({ converted }) => converted)).toEqual([
      360, 300,
    ]);
  });

  it('methods without a plan use all visitors', () => {
    const report = buildReport({ ...planned, statistics: { ...DEFAULT_STATISTICS, engine: 'sequential' } });
    expect(report.goals[0]!.counts.map(({ converted }) => converted)).toEqual([360, 300]);
    expect(report.notes).toEqual([]);
  });
});

describe('CUPED', () => {
  const statistics = { ...DEFAULT_STATISTICS, engine: 'frequentist', cuped: true } as const;

  /** Half of the visitors are known, with one session each, and convert four times as often as new ones. */
  const half = (key: string, visitors: number, known: number): ReportGroup => {
    const [convertedKnown, convertedNew] = [0.4 * known, 0.1 * (visitors - known)];
    const plain = group(key, visitors, convertedKnown + convertedNew);
    const sums = plain.goals[0]!;
    return {
      ...plain,
      before: { ...NONE_BEFORE, known, sessions: known, sessionsSquares: known },
      goals: [
        {
          ...sums,
          conversions: { ...sums.conversions, knownSum: convertedKnown, sessionsProduct: convertedKnown },
          convertedKnown,
          convertedSessions: convertedKnown,
        },
      ],
    };
  };

  const widthOf = (report: ReturnType<typeof buildReport>) => {
    const { low, high } = report.goals[0]!.metrics[0]!.variations[1]!.absolute!;
    return high! - low!;
  };

  it('saves what known and new visitors explain, although nobody converted before', () => {
    const groups = [half('a', 6000, 3000), half('b', 4000, 2000)];
    const adjusted = buildReport(input(groups, { statistics }));
    const plain = buildReport(input(groups, { statistics: { ...statistics, cuped: false } }));
    // Of the variance 0.1875, known and new visitors explain 0.0225.
    expect((widthOf(adjusted) / widthOf(plain)) ** 2).toBeCloseTo(1 - 0.0225 / 0.1875, 2);
    expect(adjusted.notes).toEqual([]);
  });

  it('is off if visitors differed before the test, and a note says so', () => {
    const groups = [half('a', 6000, 3000), half('b', 4000, 2400)];
    const report = buildReport(input(groups, { statistics }));
    const plain = buildReport(input(groups, { statistics: { ...statistics, cuped: false } }));
    expect(report.goals[0]!.metrics).toEqual(plain.goals[0]!.metrics);
    expect(report.notes).toMatchObject([{ note: 'covariate-imbalance', variation: 'b' }]);
    expect(report.notes[0]!.words).toMatch(/^CUPED is off, because visitors of "b" already differed/);
  });
});
