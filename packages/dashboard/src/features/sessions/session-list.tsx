import type { SessionsPage } from '@switchyard/core/api/sessions';
import type { ReactNode } from 'react';
import type { RequestOptions } from '../../api.ts';
import { usePagedQuery } from '../../ui/hooks/use-paged-query.ts';
import { PagedList } from '../../ui/lists/paged-list.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { SessionRow } from './session-row.tsx';

interface SessionListProps {
  /** Filters, with the names of the API. */
  query: RequestOptions['query'];
  /** Shown instead of the list when there is nothing. */
  empty: ReactNode;
}

/** A list that loads more while it is scrolled. */
export function SessionList({ query, empty }: SessionListProps) {
  const { propertyId } = useProperty();
  const sessions = usePagedQuery<SessionsPage>({
    queryKey: ['sessions', propertyId, query],
    path: '/v1/sessions',
    query: { propertyId, ...query, limit: 30 },
  });
  return (
    <PagedList
      query={sessions}
      what="the sessions"
      items={(page) => page.sessions}
      more="Show earlier sessions"
      empty={empty}
      pagesBeforeScrolling={1}
      flush
    >
      {(rows) => (
        <ul aria-label="Sessions">
          {rows.map((session) => (
            <SessionRow key={session.sessionId} session={session} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}
