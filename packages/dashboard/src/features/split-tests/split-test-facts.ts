import type { SplitTestResults } from '@switchyard/core/api/results';
import { plural } from '../../ui/format/format.ts';
import type { SplitTest, SplitTestPhase } from '../configuration/configuration-types.ts';
import type { ReportedTest } from './reported-test.ts';

type Verdict = NonNullable<SplitTestResults['verdict']>;

const DAY_MS = 86_400_000;

export const titleOf = ({ name, key }: Pick<SplitTest, 'name' | 'key'>): string => name || key;

/** Among tests of other pages: several rules of a flag may be measured. */
export const longTitleOf = (test: Pick<ReportedTest, 'name' | 'key' | 'place'>): string =>
  test.place === undefined ? titleOf(test) : `${titleOf(test)} (${test.place})`;

const currentPhase = ({ phases }: ReportedTest): SplitTestPhase | undefined => phases.at(-1);

/** Day of the latest phase, counted from 1; undefined if the test has never run. */
export function dayOf(test: ReportedTest, now = Date.now()): number | undefined {
  const phase = currentPhase(test);
  return phase && Math.floor(((phase.endedAt ?? now) - phase.startedAt) / DAY_MS) + 1;
}

/** Whether results are still being collected. */
export const hasOpenResults = ({ status }: ReportedTest): boolean =>
  status === 'running' || status === 'paused';

export const isInTest = ({ retired }: SplitTest['variations'][number]): boolean => !retired;

/** Whether the verdict advises to take a variation out of the test, while another one stays in it. */
export function isToRetire(test: SplitTest, { decision, variation }: Verdict): boolean {
  const treatments = test.variations.slice(1).filter(isInTest);
  return (
    (decision === 'roll-back' || decision === 'no-difference') &&
    hasOpenResults(test) &&
    treatments.length > 1 &&
    treatments.some(({ key }) => key === variation)
  );
}

export const isScheduled = ({ status, startAt }: ReportedTest): boolean =>
  status === 'draft' && startAt !== null && startAt > Date.now();

/** Such as "Phase 2 · day 12"; empty for a test that has never run. */
export function phaseWords(test: ReportedTest): string {
  const phase = currentPhase(test);
  if (phase === undefined) return '';
  const day = dayOf(test)!;
  return phase.endedAt === null
    ? `Phase ${phase.number} · day ${day}`
    : `${plural(phase.number, 'phase')} · last one ran ${plural(day, 'day')}`;
}

export const OUTCOME_WORDS: Record<NonNullable<SplitTest['decision']>['outcome'], string> = {
  ship: 'Ship the winner',
  'roll-back': 'Roll back to the control',
  'no-difference': 'No difference',
  other: 'Other',
};
