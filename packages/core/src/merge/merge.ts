import { differences } from './differences.ts';
import { mergeKeepingMine } from './three-way-merge.ts';

export interface Merge {
  merged: unknown;
  /** JSON pointers of fields that both sides changed to different values. */
  conflicts: string[];
}

/** Applies the changes from `base` to `mine` on top of `theirs`; with conflicts, `merged` is `theirs`. */
export function merge(base: unknown, mine: unknown, theirs: unknown): Merge {
  const conflicts: string[] = [];
  const merged = mergeKeepingMine(base, mine, theirs, (pointer, from, to) =>
    conflicts.push(...differences(from, to, pointer).map((each) => each.pointer)),
  );
  return { merged: conflicts.length > 0 ? theirs : merged, conflicts };
}
