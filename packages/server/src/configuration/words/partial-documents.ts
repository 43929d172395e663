import type { Difference } from '@switchyard/core/merge/differences';
import { parsePointer } from '@switchyard/core/merge/json-pointer';
import type { Document } from '../property/entities.ts';

interface Partial {
  [name: string]: unknown;
}

/** The changed fields alone, before and after; a list whose items changed is an object with them by their index. */
export function partialDocuments(differences: readonly Difference[]): { before: Document; after: Document } {
  const [before, after] = [emptyObject(), emptyObject()];
  for (const difference of differences) {
    const path = parsePointer(difference.pointer);
    setField(before, path, difference.before);
    setField(after, path, difference.after);
  }
  return { before, after };
}

/** Also creates what is around a missing value: that exists on both sides. */
function setField(document: Partial, path: readonly string[], value: unknown): void {
  let target = document;
  for (const name of path.slice(0, -1)) {
    target[name] ??= emptyObject();
    target = target[name] as Partial;
  }
  const last = path.at(-1);
  if (last !== undefined && value !== undefined) target[last] = value;
}

/** Without a prototype: a field called `__proto__` is one like any other. */
const emptyObject = (): Partial => Object.create(null);
