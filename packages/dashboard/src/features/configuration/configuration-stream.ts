import type { QueryClient } from '@tanstack/react-query';
import { propertyPath } from '../../api.ts';
import { cacheItem, configurationKey, refreshItem } from './configuration-cache.ts';
import { COLLECTIONS, type ItemType } from './configuration-types.ts';

/** Above this, one request for everything is cheaper than one per item. */
const MAX_SINGLE_ITEMS = 10;

interface ChangeEvent {
  version: number;
  changes: { type: string; key: string; action: string; version: number }[];
}

/** Keeps the cached configuration up to date; returns a function that ends it. */
export function followConfiguration(
  client: QueryClient,
  propertyId: string,
  onConnected: (connected: boolean) => void,
): () => void {
  const source = new EventSource(propertyPath(propertyId, 'stream'));
  const reload = () => client.invalidateQueries({ queryKey: configurationKey(propertyId) });
  let wasLost = false;
  source.onopen = () => {
    onConnected(true);
    // The browser sends the last event id, but a new sign-in or a restarted server may not know it.
    if (wasLost) void reload();
    wasLost = false;
  };
  source.onerror = () => {
    wasLost = true;
    onConnected(false);
  };
  source.addEventListener('reload', () => void reload());
  source.addEventListener('change', (event) => {
    const { changes } = JSON.parse(event.data) as ChangeEvent;
    const items = changes.filter(({ type }) => type in COLLECTIONS);
    const isSmall = items.length === changes.length && items.length <= MAX_SINGLE_ITEMS;
    if (!isSmall) void reload();
    else {
      Promise.all(items.map((item) => applyChange(client, propertyId, item))).catch(reload);
    }
    void client.invalidateQueries({ queryKey: ['history', propertyId] });
    void client.invalidateQueries({ queryKey: ['proposals', propertyId] });
  });
  return () => source.close();
}

async function applyChange(
  client: QueryClient,
  propertyId: string,
  { type, key, action }: ChangeEvent['changes'][number],
): Promise<void> {
  if (action === 'delete') cacheItem(client, propertyId, type as ItemType, key, undefined);
  else await refreshItem(client, propertyId, type as ItemType, key);
}
