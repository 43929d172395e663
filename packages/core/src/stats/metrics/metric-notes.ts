import { isCounted } from '../report/report-counts.ts';
import type { MetricGoal, ReportInput } from '../report/report-input.ts';
import type { ReportNote, ReturningShare, UnusedSetting } from '../report/report-notes.ts';
import { completeVisitors, type MetricCountsByGoal, pendingVisitors } from './metric-counts.ts';

/** Returning visitors may behave differently: from this difference of their shares on, quantiles compare another mix. */
const MAX_MIX = 0.02;

/** @param countsOf the counts that a goal was compared with */
export function metricNotes(
  input: ReportInput,
  countsOf: (goal: MetricGoal) => MetricCountsByGoal,
): ReportNote[] {
  const goals = input.goals.filter((goal) => goal.kind === 'metric');
  if (goals.length === 0) return [];
  const unused = unusedSettings(input);
  return [
    ...goals.flatMap((goal) => pendingNote(goal, countsOf(goal))),
    ...(unused.length > 0 ? [{ note: 'metric-settings' as const, unused }] : []),
    ...(goals.some(({ definition }) => definition.kind === 'quantile') ? quantileMix(input) : []),
  ];
}

function pendingNote({ id, name, definition }: MetricGoal, counts: MetricCountsByGoal): ReportNote[] {
  const own = counts.get(id)!;
  const pending = pendingVisitors(own);
  if (pending === 0) return [];
  const visitors = pending + completeVisitors(own);
  const { withinDays } = definition;
  return [{ note: 'pending-visitors', goalId: id, name, pending, visitors, withinDays }];
}

function unusedSettings({ statistics }: ReportInput): UnusedSetting[] {
  const { cuped, winsorize, stratify } = statistics;
  return [
    ...(cuped ? ['cuped' as const] : []),
    ...(winsorize === null ? [] : ['winsorize' as const]),
    ...(stratify.length > 0 ? ['stratify' as const] : []),
  ];
}

function quantileMix(input: ReportInput): ReportNote[] {
  const groups = input.groups.filter(isCounted(input)).filter(({ moved = false }) => !moved);
  const shares = input.variations
    .filter(({ retired }) => !retired)
    .flatMap(({ key }): ReturningShare[] => {
      const own = groups.filter(({ variationKey }) => variationKey === key);
      const visitors = own.reduce((sum, it) => sum + it.visitors, 0);
      const returning = own.reduce((sum, it) => (it.returning ? sum + it.visitors : sum), 0);
      return visitors === 0 ? [] : [{ variation: key, share: returning / visitors }];
    })
    .toSorted((a, b) => a.share - b.share);
  const [least, most] = [shares[0], shares.at(-1)];
  if (!least || !most || most.share - least.share <= MAX_MIX) return [];
  return [{ note: 'quantile-mix', least, most }];
}
