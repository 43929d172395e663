import {
  advancePhases,
  definitionInForce,
  type Phase,
  type PhaseReason,
} from '@switchyard/core/lifecycle/phases';
import type { SplitTest } from '../../storage/property-configuration.ts';
import type { ResolvedProperty } from './resolve-property.ts';

const REASONS: Readonly<Record<PhaseReason, string>> = {
  started: 'restarted',
  seed: 'new seed',
  traffic: 'less traffic',
  weights: 'new weights',
  variations: 'new variations',
  exclusion: 'new exclusion slot',
  holdout: 'larger holdout',
};

/** A note for each stored test that the file moves to a new phase, by test key. */
export function phaseNotes(property: ResolvedProperty, now: number): Map<string, string> {
  const notes = new Map<string, string>();
  for (const test of property.stored?.splitTests ?? []) {
    const phase = newPhase(test, property, now);
    if (phase === undefined) continue;
    const reasons = phase.reasons.map((reason) => REASONS[reason]).join(', ');
    notes.set(
      test.key,
      `starts phase ${phase.number} (${reasons}); results of each phase are reported separately`,
    );
  }
  return notes;
}

/** The first phase is not reported: every started test has one. */
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
