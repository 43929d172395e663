import {
  advancePhases,
  definitionInForce,
  type Phase,
  type PhaseReason,
} from '@switchyard/core/lifecycle/phases';
import type { SplitTest } from '../../storage/property-configuration.ts';
import type { ResolvedProperty } from './resolve-property.ts';

const WORDS: Readonly<Record<PhaseReason, string>> = {
  started: 'a new start',
  seed: 'another seed',
  traffic: 'less traffic',
  weights: 'other weights',
  variations: 'other variations',
  exclusion: 'another exclusion slot',
  holdout: 'a larger holdout',
};

/** What to say about each stored test that the file moves into a new phase, by its key. */
export function phaseNotes(property: ResolvedProperty, now: number): Map<string, string> {
  const notes = new Map<string, string>();
  for (const test of property.stored?.splitTests ?? []) {
    const phase = newPhase(test, property, now);
    if (phase === undefined) continue;
    const reasons = phase.reasons.map((reason) => WORDS[reason]).join(', ');
    notes.set(
      test.key,
      `opens phase ${phase.number}: ${reasons}; results before and after it are kept apart`,
    );
  }
  return notes;
}

/** The first one is no news: a test that starts has one. */
function newPhase(
  test: SplitTest,
  { settings, stored, splitTests }: ResolvedProperty,
  now: number,
): Phase | undefined {
  const wanted = splitTests.find(({ key }) => key === test.key) ?? test;
  const definition = definitionInForce(
    { ...wanted, hashSeed: wanted.hashSeed ?? test.hashSeed },
    { holdout: settings.holdout, hashSeed: settings.hashSeed ?? stored?.hashSeed ?? '' },
  );
  const last = advancePhases(test.phases, wanted.status, definition, now).at(-1);
  return last !== undefined && test.phases.length > 0 && last.number > test.phases.length ? last : undefined;
}
