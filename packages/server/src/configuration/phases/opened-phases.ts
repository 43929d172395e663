import type { PhaseReason } from '@switchyard/core/lifecycle/phases';
import type { PropertyConfiguration } from '../property/property-configuration.ts';

/** A split test whose results start over. */
export interface OpenedPhase {
  splitTest: string;
  phase: number;
  reasons: PhaseReason[];
}

const REASONS: Readonly<Record<PhaseReason, string>> = {
  started: 'restarted',
  seed: 'new seed',
  traffic: 'less traffic',
  weights: 'new weights',
  variations: 'new variations',
  exclusion: 'new exclusion slot',
  holdout: 'larger holdout',
  unit: 'another unit',
  audience: 'another audience',
};

/** The phases that a change opens. The first one of a test is left out: every started test has one. */
export function openedPhases(
  previous: PropertyConfiguration | undefined,
  current: PropertyConfiguration,
): OpenedPhase[] {
  const before = new Map(previous?.splitTests.map((test) => [test.key, test.phases.length]));
  return current.splitTests.flatMap(({ key, phases }) => {
    const count = before.get(key) ?? 0;
    const last = phases.at(-1);
    if (count === 0 || last === undefined || phases.length <= count) return [];
    return [{ splitTest: key, phase: last.number, reasons: [...last.reasons] }];
  });
}

export function describePhase({ phase, reasons }: OpenedPhase): string {
  const words = reasons.map((reason) => REASONS[reason]).join(', ');
  return `starts phase ${phase} (${words}); results of each phase are reported separately`;
}
