import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../stored-text.ts';

export interface RememberedErasure {
  id: string;
  kind: string;
  /** Removed once it is erased. */
  name?: string;
}

const CHANGED = 'switchyard:erasures';
const storageKey = (propertyId: string) => `switchyard:erasures:${propertyId}`;

/** Erasures take a while: whoever started one can leave and come back to it. */
export function rememberErasure(propertyId: string, erasure: RememberedErasure): void {
  save(propertyId, [...read(propertyId), erasure]);
}

export function forgetErasure(propertyId: string, id: string): void {
  save(
    propertyId,
    read(propertyId).filter((each) => each.id !== id),
  );
}

/** Who was erased leaves no trace in the browser either. */
export function forgetName(propertyId: string, id: string): void {
  save(
    propertyId,
    read(propertyId).map((each) => (each.id === id ? { id, kind: each.kind } : each)),
  );
}

export function useErasures(propertyId: string): readonly RememberedErasure[] {
  return parse(useSyncExternalStore(subscribe, () => readStored(storageKey(propertyId))));
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}

const read = (propertyId: string) => parse(readStored(storageKey(propertyId)));

/** What is stored may be damaged. */
function parse(text = '[]'): RememberedErasure[] {
  try {
    const stored: unknown = JSON.parse(text);
    return Array.isArray(stored)
      ? stored.filter((each) => typeof each?.id === 'string' && typeof each.kind === 'string')
      : [];
  } catch {
    return [];
  }
}

function save(propertyId: string, erasures: readonly RememberedErasure[]): void {
  writeStored(storageKey(propertyId), JSON.stringify(erasures));
  dispatchEvent(new Event(CHANGED));
}
