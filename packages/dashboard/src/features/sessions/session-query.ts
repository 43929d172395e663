import type { SessionDetail } from '@switchyard/core/api/sessions';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { request } from '../../api.ts';

/** A session with the first pages of its timeline. */
export const sessionQuery = (propertyId: string, sessionId: string) =>
  infiniteQueryOptions({
    queryKey: ['session', propertyId, sessionId],
    queryFn: ({ pageParam, signal }) =>
      request<SessionDetail>(`/v1/sessions/${encodeURIComponent(sessionId)}`, {
        query: { propertyId, limit: 500, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
