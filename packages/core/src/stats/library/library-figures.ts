import type { LibraryTest } from '../../api/learning/library.ts';
import type { Spread } from '../report/learned-prior.ts';
import { describeFinished } from '../words/library-words.ts';
import type { PrimaryFindings } from './primary-findings.ts';
import { expectedEffect } from './shrinkage.ts';

/** The figures of a finished test, with what to expect from its variations. */
export function libraryFigures(
  findings: PrimaryFindings,
  winner: string | null,
  record: readonly Spread[],
): Pick<LibraryTest, 'figures' | 'words'> {
  const { goal, visitors, healthy, effects, whileRunning, estimates, problem } = findings;
  const expectedOf = (key: string) => {
    const effect = estimates.find(({ variation }) => variation === key);
    return effect === undefined ? null : expectedEffect(effect, record);
  };
  const shown = effects.map((effect) => ({
    ...effect,
    expected: healthy ? expectedOf(effect.variation) : null,
  }));
  const figures = { goal, visitors, healthy, effects: shown, whileRunning };
  return { figures, words: describeFinished(figures, winner, problem) };
}
