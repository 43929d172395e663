import type { SplitTest } from '../../configuration/configuration-types.ts';

interface PhaseNoteProps {
  stored: SplitTest | undefined;
  /** Whether the draft has such a change. */
  isChanged: boolean;
  /** What opens a phase, such as "Changed weights". */
  what: string;
}

/** Says beside a field of a running test that changing it opens a new phase. */
export function PhaseNote({ stored, isChanged, what }: PhaseNoteProps) {
  if (stored?.status !== 'running' && stored?.status !== 'paused') return null;
  const when = stored.status === 'paused' ? ' when the test resumes' : '';
  return (
    <p className={isChanged ? 'warn' : 'dimmed'} role={isChanged ? 'status' : undefined}>
      {isChanged
        ? `This opens a new phase${when}: the results start over.`
        : `${what} open a new phase${when}: the results start over.`}
    </p>
  );
}
