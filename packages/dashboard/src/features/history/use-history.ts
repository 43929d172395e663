import type { HistoryPage } from '@switchyard/core/api/management';
import type { PropertyMembers } from '@switchyard/core/api/members';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { usePagedQuery } from '../../ui/hooks/use-paged-query.ts';
import { useProperty } from '../configuration/property-context.tsx';

const PAGE_SIZE = 30;
const DAY = 86_400_000;

/** Filters as the URL has them; empty: everything. Days are those of the browser. */
export interface HistoryFilters {
  entity: string;
  key: string;
  actor: string;
  from: string;
  to: string;
}

/** The changes of the property, newest first, page by page. */
export function useHistory({ entity, key, actor, from, to }: HistoryFilters) {
  const { propertyId } = useProperty();
  const filters = {
    entity,
    key,
    actor,
    from: startOfDay(from),
    to: to === '' ? undefined : startOfDay(to)! + DAY,
  };
  return usePagedQuery<Static<typeof HistoryPage>>({
    queryKey: ['history', propertyId, 'all', filters],
    path: propertyPath(propertyId, 'history'),
    query: { ...filters, limit: PAGE_SIZE },
    keepsPrevious: true,
  });
}

function startOfDay(day: string): number | undefined {
  const at = new Date(`${day}T00:00`).getTime();
  return Number.isNaN(at) ? undefined : at;
}

/** Names of the members by account, which the history only has as an id. */
export function useMemberNames(): ReadonlyMap<string, string> {
  const { propertyId } = useProperty();
  const { data } = useQuery({
    queryKey: ['members', propertyId],
    queryFn: ({ signal }) => request<PropertyMembers>(propertyPath(propertyId, 'members'), { signal }),
  });
  return useMemo(() => new Map(data?.members.map(({ accountId, name }) => [accountId, name])), [data]);
}
