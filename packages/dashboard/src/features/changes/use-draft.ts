import { sameJson } from '@switchyard/core/merge/json-value';
import { mergeKeepingMine } from '@switchyard/core/merge/three-way-merge';
import { useCallback, useEffect, useState } from 'react';
import { useMe } from '../accounts/use-me.ts';

interface StoredDraft<T> {
  /** The document that the draft started from. */
  base: T;
  /** Its version; undefined for a new item. */
  baseVersion: number | undefined;
  draft: T;
  savedAt: number;
}

export interface Draft<T> {
  value: T;
  /** Version to save against. */
  baseVersion: number | undefined;
  isDirty: boolean;
  /** Somebody saved a newer version since the draft was begun. */
  isOutdated: boolean;
  /** When the draft was last edited, for a draft of an earlier visit. */
  restoredFrom: number | undefined;
  change: (changes: Partial<T>) => void;
  /** Goes on with another document, after a conflict. */
  rebase: (base: T, baseVersion: number | undefined, draft: T) => void;
  /** Back to the stored document. */
  discard: () => void;
}

/**
 * Unsaved changes of a document. They survive leaving the page, a reload and an expired session. Without unsaved
 * changes, the newest stored document is shown.
 * @param name unique, such as `shop/flags/new-checkout`
 */
export function useDraft<T extends object>(name: string, stored: T, storedVersion?: number): Draft<T> {
  // People who share a browser do not see each other's drafts.
  const key = `switchyard:draft:${useMe().account.id}:${name}`;
  const [own, setOwn] = useState(() => read<T>(key));
  const [restoredFrom, setRestoredFrom] = useState(() => own?.savedAt);
  // What is edited after that is a new draft.
  if (own === undefined && restoredFrom !== undefined) setRestoredFrom(undefined);
  useEffect(() => write(key, own), [key, own]);
  const value = own?.draft ?? stored;
  const baseVersion = own ? own.baseVersion : storedVersion;
  const change = useCallback(
    (changes: Partial<T>) =>
      setOwn((previous) => {
        const base = previous?.base ?? stored;
        const draft = { ...(previous?.draft ?? stored), ...changes };
        if (sameJson(base, draft)) return undefined;
        const version = previous ? previous.baseVersion : storedVersion;
        return { base, baseVersion: version, draft, savedAt: Date.now() };
      }),
    [stored, storedVersion],
  );
  const rebase = useCallback(
    (base: T, version: number | undefined, draft: T) =>
      setOwn((previous) => {
        // Fields that others changed and this draft did not must not go back to their old value.
        const merged = previous ? (mergeKeepingMine(previous.base, draft, base) as T) : draft;
        return { base, baseVersion: version, draft: merged, savedAt: Date.now() };
      }),
    [],
  );
  const discard = useCallback(() => {
    write(key, undefined);
    setOwn(undefined);
  }, [key]);
  return {
    value,
    baseVersion,
    change,
    rebase,
    discard,
    restoredFrom,
    isDirty: own !== undefined,
    // The version of the settings also grows with changes elsewhere.
    isOutdated: own !== undefined && own.baseVersion !== storedVersion && !sameJson(own.base, stored),
  };
}

function read<T>(key: string): StoredDraft<T> | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as StoredDraft<T>);
  } catch {
    return undefined;
  }
}

function write(key: string, draft: StoredDraft<unknown> | undefined): void {
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without storage, a draft lives as long as the page.
  }
}
