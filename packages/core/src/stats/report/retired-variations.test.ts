import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { convertedOnce, dayAt, goalOf, groupOf, inputOf, START } from '../../testing/report-cases.ts';
import { buildReport, plannedFor } from './report.ts';
import type { ReportInput } from './report-input.ts';

const group = (variationKey: string, visitors: number, converted: number) =>
  groupOf(variationKey, visitors, { goals: [convertedOnce('signup', converted)] });

const ALL = [
  { key: 'control', weight: 1 },
  { key: 'b', weight: 1 },
  { key: 'video', weight: 1 },
];
const RETIRED = ALL.map((each) => (each.key === 'video' ? { ...each, retired: true } : each));

/** The video was taken out when a fifth of the visitors of today had entered. */
const GROUPS = [group('control', 10_000, 1000), group('b', 10_050, 1300), group('video', 2000, 120)];
const reportOf = (variations: ReportInput['variations'], more: Partial<ReportInput> = {}) =>
  buildReport(inputOf(GROUPS, { variations, ...more }));

describe('a retired variation', () => {
  it('does not make the split wrong, nor is it missed', () => {
    expect(reportOf(ALL).problems).toMatchObject([{ problem: 'sample-ratio-mismatch' }]);
    expect(reportOf(RETIRED).problems).toEqual([]);
    expect(reportOf(RETIRED).splitPValue).toBeGreaterThan(0.5);
    const silent = [group('control', 10_000, 1000), group('b', 10_000, 1300)];
    expect(buildReport(inputOf(silent, { variations: RETIRED })).problems).toEqual([]);
    const others = [group('control', 12_000, 1000), group('b', 9000, 1300), group('video', 2000, 120)];
    expect(buildReport(inputOf(others, { variations: RETIRED })).problems).toMatchObject([
      { problem: 'sample-ratio-mismatch', visitors: [{ key: 'control' }, { key: 'b' }] },
    ]);
  });

  it('is still compared, and corrected for, but has no verdict', () => {
    const [before, after] = [reportOf(ALL), reportOf(RETIRED)];
    expect(after.variations[2]).toMatchObject({ key: 'video', weight: 1, retired: true, visitors: 2000 });
    expect(after.variations[1]).not.toHaveProperty('retired');
    expect(after.goals).toEqual(before.goals);
    expect(after.verdicts.map(({ variation }) => variation)).toEqual(['b']);
    expect(after.verdict).toMatchObject({ decision: 'ship', variation: 'b' });
  });

  it('leaves a pair, of which a losing variation ends the test', () => {
    const groups = [group('control', 10_000, 1300), group('b', 10_000, 1000), group('video', 2000, 120)];
    const words = (variations: ReportInput['variations']) =>
      buildReport(inputOf(groups, { variations })).verdicts[0]!.sentences.next;
    expect(words(RETIRED)).toBe('Next: stop the test and choose the control as the winner.');
  });

  it('leaves the share of the plan that is reached as it was', () => {
    expect(plannedFor(30_000, RETIRED)).toBe(20_000);
    expect(plannedFor(30_000, ALL)).toBe(30_000);
    expect(plannedFor(null, RETIRED)).toBeNull();
    const planned = {
      smallestEffect: 0.05,
      statistics: { ...DEFAULT_STATISTICS, engine: 'group-sequential' as const },
    };
    const groups = [group('control', 5000, 500), group('b', 5000, 510), group('video', 5000, 400)];
    const [before, after] = [ALL, RETIRED].map((variations) =>
      buildReport(
        inputOf(groups, { variations, ...planned, plannedVisitors: plannedFor(30_000, variations) }),
      ),
    );
    expect(before!.plannedShare).toBe(0.5);
    expect(after!.plannedShare).toBe(0.5);
    expect(after!.verdicts[0]!.plannedVisitors).toBe(before!.verdicts[0]!.plannedVisitors);
    expect(after!.goals).toEqual(before!.goals);
  });

  it('is no traffic of the days to come', () => {
    const exposures = Array.from({ length: 10 }, (_, day) => [
      { at: dayAt(day), variationKey: 'control', bot: false, exposures: 1000 },
      { at: dayAt(day), variationKey: 'b', bot: false, exposures: 1000 },
      // Taken out on the third day.
      { at: dayAt(day), variationKey: 'video', bot: false, exposures: day < 2 ? 1000 : 0 },
    ]).flat();
    const groups = [group('control', 10_000, 1000), group('b', 10_000, 1010), group('video', 2000, 200)];
    const rest = { exposures, startedAt: START, goals: [goalOf('signup')] };
    const days = (given: typeof groups, variations: ReportInput['variations']) =>
      buildReport(inputOf(given, { ...rest, variations })).verdicts[0]!.forecast;
    const pair = { ...rest, exposures: exposures.filter(({ variationKey }) => variationKey !== 'video') };
    const alone = buildReport(inputOf(groups.slice(0, 2), { ...pair, variations: ALL.slice(0, 2) }))
      .verdicts[0]!;
    expect(days(groups, RETIRED)).not.toBeNull();
    expect(days(groups, RETIRED)!.horizonDays).toBe(alone.forecast!.horizonDays);
  });
});
