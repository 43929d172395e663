import type { ItemUse } from '../changes/use-links.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';

/** Flags that have this flag as a prerequisite, with the environments in which they do. */
export function flagUses({ flags }: Pick<Configuration, 'flags'>, key: string): ItemUse[] {
  return flags.flatMap(({ key: otherKey, name, environments }) => {
    const found = Object.entries(environments).filter(([, { prerequisites }]) =>
      prerequisites.some(({ flag }) => flag === key),
    );
    if (found.length === 0) return [];
    const detail = `as a prerequisite in ${found.map(([id]) => id).join(', ')}`;
    return [{ to: `flags/${encodeURIComponent(otherKey)}`, label: name, detail }];
  });
}
