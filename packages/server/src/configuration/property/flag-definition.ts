import type { FlagDefinition } from '@switchyard/core/api/targeting';
import type { Flag } from './property-configuration.ts';

/** The definition of a flag by environment; the same object as long as the flag is the same. */
const definitions = new WeakMap<Flag, Map<string, FlagDefinition>>();

/** A flag as it is evaluated in an environment. */
export function definitionIn(flag: Flag, environmentId: string): FlagDefinition {
  const known = definitions.get(flag) ?? new Map<string, FlagDefinition>();
  definitions.set(flag, known);
  let definition = known.get(environmentId);
  if (definition === undefined) {
    const { key, type, format, defaultValue, version, configurations } = flag;
    const configuration = configurations.find((candidate) => candidate.environmentId === environmentId);
    definition = {
      key,
      type,
      ...(format && { format }),
      defaultValue,
      version,
      ...(configuration && { configuration }),
    };
    known.set(environmentId, definition);
  }
  return definition;
}
