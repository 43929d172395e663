import type { QueryClient } from '@tanstack/react-query';
import { propertyPath, SIGNED_IN_AGAIN } from '../../api.ts';
import { cacheItem, configurationKey, loadItem } from './configuration-cache.ts';
import { COLLECTIONS, type ItemType } from './configuration-types.ts';

/** Above this, one request for everything is cheaper than one per item. */
const MAX_SINGLE_ITEMS = 10;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

interface ItemChange {
  type: string;
  key: string;
  action: string;
  version: number;
}

/** Keeps the cached configuration up to date; returns a function that ends it. */
export function followConfiguration(
  client: QueryClient,
  propertyId: string,
  onConnected: (connected: boolean) => void,
): () => void {
  const queryKey = configurationKey(propertyId);
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delay = MIN_DELAY_MS;
  const reload = async () => {
    const isLoading = client.getQueryData(queryKey) === undefined;
    await client.invalidateQueries({ queryKey });
    // That only waited for the first load, which may have been answered before the stream was open.
    if (isLoading) await client.invalidateQueries({ queryKey });
  };
  const onChange = changeHandler(client, propertyId, reload);
  const open = () => {
    clearTimeout(timer);
    source = new EventSource(propertyPath(propertyId, 'stream'));
    source.onopen = () => {
      delay = MIN_DELAY_MS;
      onConnected(true);
      // Usually nothing has changed, which is a short response.
      void reload();
    };
    source.onerror = () => {
      onConnected(false);
      // The browser connects again by itself, except after a response with an error status.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, delay);
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    };
    source.addEventListener('reload', () => void reload());
    source.addEventListener('change', ({ data }) => onChange(JSON.parse(data).changes));
  };
  const openAgain = () => {
    source.close();
    open();
  };
  open();
  addEventListener(SIGNED_IN_AGAIN, openAgain);
  return () => {
    removeEventListener(SIGNED_IN_AGAIN, openAgain);
    clearTimeout(timer);
    source.close();
  };
}

function changeHandler(client: QueryClient, propertyId: string, reload: () => Promise<void>) {
  /** The latest change of each item: a response to an earlier one comes too late. */
  const latest = new Map<string, ItemChange>();
  const apply = async (change: ItemChange) => {
    const { key, action } = change;
    const type = change.type as ItemType;
    const id = `${type}/${key}`;
    latest.set(id, change);
    const item = action === 'delete' ? undefined : await loadItem(propertyId, type, key);
    if (latest.get(id) === change) cacheItem(client, propertyId, type, key, item);
  };
  return (changes: ItemChange[]) => {
    const items = changes.filter(({ type }) => type in COLLECTIONS);
    const isSmall = items.length === changes.length && items.length <= MAX_SINGLE_ITEMS;
    if (isSmall) Promise.all(items.map(apply)).catch(reload);
    else void reload();
    void client.invalidateQueries({ queryKey: ['history', propertyId] });
    void client.invalidateQueries({ queryKey: ['proposals', propertyId] });
  };
}
