import type { HistoryPage } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { limitConcurrency } from '../../ui/limit-concurrency.ts';
import { useProperty } from '../configuration/property-context.tsx';

type Page = Static<typeof HistoryPage>;

export interface LastChange {
  at: number;
  by: string;
}

/** Entries to look at for all flags together. */
const LIMIT = 200;
const limited = limitConcurrency(4);

/** When flags were last changed and by whom, by key. */
export function useLastChanges() {
  const { propertyId } = useProperty();
  const query = useQuery({
    queryKey: ['history', propertyId, 'last-flag-changes'],
    queryFn: ({ signal }) =>
      request<Page>(propertyPath(propertyId, 'history'), { query: { entity: 'flag', limit: LIMIT }, signal }),
  });
  const { data } = query;
  const byKey = useMemo(() => data && lastChanges(data), [data]);
  return { query, byKey };
}

/**
 * That of one flag, which is asked for by itself if it is too old for the list of all.
 * @returns null: it was never changed
 */
export function useLastChange(key: string, known: ReadonlyMap<string, LastChange> | undefined) {
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
    enabled: known !== undefined && !known.has(key),
  });
  const change = known?.get(key) ?? (data && (lastChanges(data).get(key) ?? null));
  return { change, error };
}

function lastChanges({ history }: Page): Map<string, LastChange> {
  const changes = new Map<string, LastChange>();
  for (const { entity, at, actor } of history) {
    if (!changes.has(entity.key)) changes.set(entity.key, { at, by: actor.name });
  }
  return changes;
}
