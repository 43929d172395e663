import type { QueryClient } from '@tanstack/react-query';
import { ApiProblem, propertyPath, request, requestResponse } from '../../api.ts';
import {
  COLLECTIONS,
  type Configuration,
  type ItemOf,
  type ItemType,
  type ListedItem,
} from './configuration-types.ts';

/** The configuration of one property in memory; lists, search and forms read it from here. */
export interface CachedConfiguration {
  configuration: Configuration;
  etag: string | null;
}

export const configurationKey = (propertyId: string) => ['configuration', propertyId] as const;

/**
 * Loads the whole configuration, or keeps the known one when it has not changed. If an item was changed or deleted in
 * memory meanwhile, the response may be older than that, so everything is loaded again.
 */
export async function loadConfiguration(
  client: QueryClient,
  propertyId: string,
  signal?: AbortSignal,
): Promise<CachedConfiguration> {
  const inMemory = () => client.getQueryData<CachedConfiguration>(configurationKey(propertyId));
  const known = inMemory();
  const response = await requestResponse<Configuration>(propertyPath(propertyId, 'configuration'), {
    headers: known?.etag ? { 'if-none-match': known.etag } : {},
    ...(signal !== undefined && { signal }),
  });
  const latest = inMemory();
  if (response.status === 304 && latest !== undefined) return latest;
  if (latest !== known) return loadConfiguration(client, propertyId, signal);
  return { configuration: response.body, etag: response.etag };
}

/** Puts a saved item into the cached configuration without loading everything again. */
export function cacheItem<T extends ItemType>(
  client: QueryClient,
  propertyId: string,
  type: T,
  key: string,
  item: ItemOf<T> | undefined,
): void {
  client.setQueryData<CachedConfiguration>(configurationKey(propertyId), (known) => {
    if (known === undefined) return known;
    const { field, key: keyField } = COLLECTIONS[type];
    const list: readonly ListedItem[] = known.configuration[field];
    const index = list.findIndex((each) => each[keyField] === key);
    const current = list[index];
    // An event of the stream can be older than the response to our own change.
    if (item && current && current.version > item.version) return known;
    const next = [...list];
    if (item === undefined) {
      if (index >= 0) next.splice(index, 1);
    } else if (index >= 0) next[index] = item;
    else next.push(item);
    // The entity tag belongs to what the server sent.
    return { etag: null, configuration: { ...known.configuration, [field]: next } };
  });
}

/** Loads one item that somebody has changed; undefined if it does not exist any more. */
export async function loadItem<T extends ItemType>(
  propertyId: string,
  type: T,
  key: string,
): Promise<ItemOf<T> | undefined> {
  try {
    return await request<ItemOf<T>>(propertyPath(propertyId, COLLECTIONS[type].path, key));
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
    return undefined;
  }
}
