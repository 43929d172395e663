import type { HistoryPage } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { useProperty } from '../configuration/property-context.tsx';

type Page = Static<typeof HistoryPage>;

export interface LastChange {
  at: number;
  by: string;
}

/** Entries to look at; a flag whose change is older has none. */
const LIMIT = 200;

/** When flags were last changed and by whom, by key. */
export function useLastChanges(): ReadonlyMap<string, LastChange> {
  const { propertyId } = useProperty();
  const { data } = useQuery({
    queryKey: ['history', propertyId, 'last-flag-changes'],
    queryFn: ({ signal }) =>
      request<Page>(propertyPath(propertyId, 'history'), { query: { entity: 'flag', limit: LIMIT }, signal }),
  });
  return useMemo(() => {
    const changes = new Map<string, LastChange>();
    for (const { entity, at, actor } of data?.history ?? []) {
      if (!changes.has(entity.key)) changes.set(entity.key, { at, by: actor.name });
    }
    return changes;
  }, [data]);
}
