import type { HistoryPage } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { limitConcurrency } from '../../limit-concurrency.ts';
import { useProperty } from '../configuration/property-context.tsx';

type Page = Static<typeof HistoryPage>;

interface LastChange {
  at: number;
  by: string;
}

/** By key of the flag; undefined while they are loaded, null if that failed. */
export type LastChanges = ReadonlyMap<string, LastChange> | null | undefined;

/** Entries to look at for all flags together. */
const LIMIT = 200;
const limited = limitConcurrency(4);

/** When flags were last changed and by whom. */
export function useLastChanges() {
  const { propertyId } = useProperty();
  const query = useQuery({
    queryKey: ['history', propertyId, 'last-flag-changes'],
    queryFn: ({ signal }) =>
      request<Page>(propertyPath(propertyId, 'history'), { query: { entity: 'flag', limit: LIMIT }, signal }),
  });
  const { data, error } = query;
  const byKey = useMemo<LastChanges>(
    () => (data ? lastChanges(data) : error ? null : undefined),
    [data, error],
  );
  return { query, byKey };
}

/**
 * That of one flag, which is asked for by itself if it is too old for the list of all.
 * @returns null: it was never changed
 */
export function useLastChange(key: string, known: LastChanges) {
  const { propertyId } = useProperty();
  const { data, error } = useQuery({
    queryKey: ['history', propertyId, 'flag', key, 'last'],
    queryFn: ({ signal }) =>
      limited(() =>
        request<Page>(propertyPath(propertyId, 'history'), {
          query: { entity: 'flag', key, limit: 1 },
          signal,
        }),
      ),
    enabled: known?.has(key) === false,
  });
  const change = known?.get(key) ?? (data && (lastChanges(data).get(key) ?? null));
  return { change, isFailed: known === null || error !== null };
}

function lastChanges({ history }: Page): Map<string, LastChange> {
  const changes = new Map<string, LastChange>();
  for (const { entity, at, actor } of history) {
    if (!changes.has(entity.key)) changes.set(entity.key, { at, by: actor.name });
  }
  return changes;
}
