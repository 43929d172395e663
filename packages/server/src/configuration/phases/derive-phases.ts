import { advancePhases, definitionInForce } from '@switchyard/core/lifecycle/phases';
import type { PropertyConfiguration, SplitTest } from '../property/property-configuration.ts';

/**
 * Ends and starts phases to match the tests of a property; the same object if nothing changes.
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
  return changed ? { ...property, splitTests } : property;
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
