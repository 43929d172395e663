import { sameJson } from '@switchyard/core/merge/json-value';
import type { PropertyConfiguration } from '../property/property-configuration.ts';
import { dependentSegments } from './dependent-segments.ts';
import type { ItemChange } from './item-changes.ts';

/** The protected environments in which a change may alter the value of a flag. */
export function affectedEnvironments(
  previous: PropertyConfiguration,
  next: PropertyConfiguration,
  changes: readonly ItemChange[],
): string[] {
  const guarded = previous.environments.filter((environment) => environment.protected);
  return guarded
    .map(({ id }) => id)
    .filter((id) => changes.some((change) => affects(change, id, previous, next)));
}

function affects(
  { type, key, differences }: ItemChange,
  environmentId: string,
  previous: PropertyConfiguration,
  next: PropertyConfiguration,
): boolean {
  if (type === 'environment') return key === environmentId;
  if (type === 'flag') return flagChanged(key, environmentId, previous, next);
  if (type !== 'segment' || differences.every(({ pointer }) => pointer === '/name')) return false;
  return [previous, next].some((property) => segmentIsUsed(property, key, environmentId));
}

function flagChanged(
  key: string,
  environmentId: string,
  previous: PropertyConfiguration,
  next: PropertyConfiguration,
): boolean {
  const inEnvironment = (property: PropertyConfiguration) => {
    const flag = property.flags.find((candidate) => candidate.key === key);
    const configuration = flag?.configurations.find((each) => each.environmentId === environmentId);
    const { defaultValue, format } = flag ?? {};
    return { exists: flag !== undefined, defaultValue, format, configuration };
  };
  const [before, after] = [inEnvironment(previous), inEnvironment(next)];
  // Nothing evaluates a new flag yet.
  if (!before.exists) return after.configuration !== undefined;
  return !sameJson(before, after);
}

function segmentIsUsed(property: PropertyConfiguration, id: string, environmentId: string): boolean {
  const segments = dependentSegments(property, id);
  return property.flags.some(({ configurations }) =>
    configurations.some(
      (configuration) =>
        configuration.environmentId === environmentId &&
        configuration.rules.some((rule) =>
          rule.conditions?.some(
            ({ operator, values }) =>
              operator === 'inSegment' && values?.some((value) => segments.has(String(value))),
          ),
        ),
    ),
  );
}
