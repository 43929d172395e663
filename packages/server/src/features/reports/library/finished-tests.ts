import type { LibraryOutcome } from '@switchyard/core/api/learning/library';
import { derivePerProperty, type SplitTest } from '../../../configuration/property/property-configuration.ts';

/** A test that has ended, and what a search finds it by. */
export interface FinishedTest {
  readonly test: SplitTest;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: LibraryOutcome;
  /** In lower case. */
  readonly text: string;
}

/** Latest end first; computed once per change of the property. */
export const finishedTests = derivePerProperty(({ splitTests }): readonly FinishedTest[] =>
  splitTests.flatMap((test) => finishedTest(test) ?? []).sort(latestFirst),
);

function finishedTest(test: SplitTest): FinishedTest | undefined {
  const { status, phases } = test;
  const endedAt = phases.at(-1)?.endedAt ?? null;
  if (endedAt === null || (status !== 'stopped' && status !== 'archived')) return undefined;
  return {
    test,
    startedAt: phases[0]!.startedAt,
    endedAt,
    outcome: outcomeOf(test),
    text: textOf(test).toLowerCase(),
  };
}

export const latestFirst = (a: Position, b: Position) =>
  b.endedAt - a.endedAt || (a.test.key < b.test.key ? -1 : 1);

type Position = Pick<FinishedTest, 'endedAt'> & { readonly test: Pick<SplitTest, 'key'> };

/** Without a recorded decision, the winner says it. */
function outcomeOf({ decision, winner, variations }: SplitTest): LibraryOutcome {
  if (decision !== null) return decision.outcome;
  if (winner === null) return 'undecided';
  return winner === variations[0]?.key ? 'roll-back' : 'ship';
}

function textOf({ key, name, hypothesis, description, decision, tags, owner }: SplitTest): string {
  return [key, name, hypothesis, description, decision?.reason, ...tags, owner].join('\n');
}
