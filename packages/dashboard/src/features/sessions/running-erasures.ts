import { useSyncExternalStore } from 'react';

export interface RememberedErasure {
  id: string;
  visitorId: string;
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

export function useErasures(propertyId: string): readonly RememberedErasure[] {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(storageKey(propertyId)) ?? '[]');
  return JSON.parse(text) as RememberedErasure[];
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}

const read = (propertyId: string): RememberedErasure[] =>
  JSON.parse(localStorage.getItem(storageKey(propertyId)) ?? '[]');

function save(propertyId: string, erasures: readonly RememberedErasure[]): void {
  localStorage.setItem(storageKey(propertyId), JSON.stringify(erasures));
  dispatchEvent(new Event(CHANGED));
}
