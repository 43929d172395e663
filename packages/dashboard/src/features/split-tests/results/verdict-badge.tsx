import type { Verdict } from './results-types.ts';
import { StateTag, type Tone } from './state-tag.tsx';

const DECISIONS: Record<Verdict['decision'], { label: string; tone: Tone }> = {
  ship: { label: 'Ship', tone: 'good' },
  'roll-back': { label: 'Roll back', tone: 'bad' },
  'no-difference': { label: 'No difference', tone: 'dimmed' },
  'keep-going': { label: 'Keep going', tone: 'dimmed' },
  collecting: { label: 'Collecting data', tone: 'dimmed' },
  unhealthy: { label: 'No decision', tone: 'warn' },
};

/** A phase that has ended neither collects nor keeps going. */
export function VerdictBadge({ decision, isOver }: { decision: Verdict['decision']; isOver: boolean }) {
  const { label, tone } = DECISIONS[decision];
  const isOpen = decision === 'keep-going' || decision === 'collecting';
  return <StateTag tone={tone}>{isOver && isOpen ? 'No clear result' : label}</StateTag>;
}
