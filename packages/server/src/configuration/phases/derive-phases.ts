import { advanceMeasuredRules } from '@switchyard/core/lifecycle/measured-rule';
import { advancePhases, definitionInForce } from '@switchyard/core/lifecycle/phases';
import type { Flag, PropertyConfiguration, SplitTest } from '../property/property-configuration.ts';

/**
 * Ends and starts phases to match the tests and measured rules of a property; the same object if nothing changes.
 *
 * @param at when the change takes effect: before `now` if a schedule is late
 */
export function derivePhases(
  previous: PropertyConfiguration | undefined,
  property: PropertyConfiguration,
  at: number,
  now = at,
): PropertyConfiguration {
  const unchanged = testsInForce(previous, property);
  let changed = false;
  const splitTests = property.splitTests.map((test): SplitTest => {
    if (unchanged.has(test)) return test;
    const phases = advancePhases(test.phases, test.status, definitionInForce(test, property), at, now);
    if (phases === test.phases) return test;
    changed = true;
    return { ...test, phases };
  });
  const flags = flagsInForce(previous, property, at, now);
  return changed || flags !== property.flags ? { ...property, splitTests, flags } : property;
}

/** The flags with the phases of their measured rules; the same list if nothing changes. */
function flagsInForce(
  previous: PropertyConfiguration | undefined,
  { flags, segments }: PropertyConfiguration,
  at: number,
  now: number,
): readonly Flag[] {
  const unchanged = new Set(previous?.segments === segments ? previous.flags : []);
  const next = flags.map((flag) => {
    if (unchanged.has(flag)) return flag;
    const configurations = flag.configurations.map((configuration) => {
      const { measured: before = [], ...rest } = configuration;
      const measured = advanceMeasuredRules(before, configuration, { flagKey: flag.key, segments, at, now });
      if (measured === before) return configuration;
      return measured.length === 0 ? rest : { ...rest, measured };
    });
    const isSame = configurations.every((each, index) => each === flag.configurations[index]);
    return isSame ? flag : { ...flag, configurations };
  });
  return next.every((flag, index) => flag === flags[index]) ? flags : next;
}

/** The saved tests, whose phases are up to date unless the property's part of their definition changes: audiences use segments. */
function testsInForce(
  previous: PropertyConfiguration | undefined,
  { holdout, hashSeed, segments }: PropertyConfiguration,
): ReadonlySet<SplitTest> {
  const isSame =
    previous?.holdout === holdout && previous.hashSeed === hashSeed && previous.segments === segments;
  return new Set(isSame ? previous.splitTests : []);
}
