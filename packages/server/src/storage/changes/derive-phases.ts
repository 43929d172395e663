import { advancePhases, definitionInForce } from '@switchyard/core/lifecycle/phases';
import type { PropertyConfiguration, SplitTest } from '../property-configuration.ts';

/** Ends and starts phases to match the tests of a property; the same object if nothing changes. */
export function derivePhases(property: PropertyConfiguration, at: number): PropertyConfiguration {
  let changed = false;
  const splitTests = property.splitTests.map((test): SplitTest => {
    const phases = advancePhases(test.phases, test.status, definitionInForce(test, property), at);
    if (phases === test.phases) return test;
    changed = true;
    return { ...test, phases };
  });
  return changed ? { ...property, splitTests } : property;
}
