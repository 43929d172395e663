import type { Configuration } from '../configuration/configuration-types.ts';

export interface FlagReference {
  key: string;
  name: string;
  /** Ids of the environments in which it has the prerequisite. */
  environments: string[];
}

/** Flags that have this flag as a prerequisite. */
export function flagReferences({ flags }: Pick<Configuration, 'flags'>, key: string): FlagReference[] {
  return flags.flatMap(({ key: otherKey, name, environments }) => {
    const found = Object.entries(environments).filter(([, { prerequisites }]) =>
      prerequisites.some(({ flag }) => flag === key),
    );
    return found.length > 0 ? [{ key: otherKey, name, environments: found.map(([id]) => id) }] : [];
  });
}
