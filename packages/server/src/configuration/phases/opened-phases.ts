import type { Phase, PhaseReason } from '@switchyard/core/lifecycle/phases';
import { type MeasuredRuleName, measuredRulesOf } from '../property/measured-rules.ts';
import type { PropertyConfiguration } from '../property/property-configuration.ts';

/** A split test or measured rule whose results start over. */
export interface OpenedPhase {
  splitTest?: string;
  measuredRule?: MeasuredRuleName;
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
  rules: 'other rules around it',
};

/** The phases that a change opens. The first one of a test is left out: every started test has one. */
export function openedPhases(
  previous: PropertyConfiguration | undefined,
  current: PropertyConfiguration,
): OpenedPhase[] {
  const before = new Map(previous?.splitTests.map((test) => [test.key, test.phases.length]));
  const tests = current.splitTests.flatMap(({ key, phases }) => {
    return opened(before.get(key), phases).map((phase) => ({ splitTest: key, ...phase }));
  });
  const rulesBefore = new Map(
    previous === undefined ? [] : measuredRulesOf(previous).map(({ key, phases }) => [key, phases.length]),
  );
  const rules = measuredRulesOf(current).flatMap(({ key, name, phases }) => {
    return opened(rulesBefore.get(key), phases).map((phase) => ({ measuredRule: name, ...phase }));
  });
  return [...tests, ...rules];
}

function opened(before = 0, phases: readonly Phase[]): Pick<OpenedPhase, 'phase' | 'reasons'>[] {
  const last = phases.at(-1);
  if (before === 0 || last === undefined || phases.length <= before) return [];
  return [{ phase: last.number, reasons: [...last.reasons] }];
}

/** What a warning calls it. */
export function nameOfOpened({ splitTest, measuredRule }: OpenedPhase): string {
  if (measuredRule === undefined) return `the split test "${splitTest}"`;
  const { flagKey, environment, ruleId } = measuredRule;
  return `the measured rule "${ruleId}" of the flag "${flagKey}" in ${environment}`;
}

export function describePhase({ phase, reasons, measuredRule }: OpenedPhase): string {
  const rule =
    measuredRule === undefined ? '' : ` of the rule "${measuredRule.ruleId}" in ${measuredRule.environment}`;
  const words = reasons.map((reason) => REASONS[reason]).join(', ');
  return `starts phase ${phase}${rule} (${words}); results of each phase are reported separately`;
}
