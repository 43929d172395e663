import type {
  FeedbackPage,
  FeedbackState,
  FeedbackStateBody,
  FeedbackSummary,
} from '@switchyard/core/api/feedback';
import {
  type InfiniteData,
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { propertyPath, request } from '../../api.ts';
import type { Period } from '../../ui/fields/period-of.ts';
import { usePagedQuery } from '../../ui/hooks/use-paged-query.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { FeedbackListQuery, FeedbackQuery } from './feedback-filters.ts';

export type FeedbackEntry = FeedbackPage['feedback'][number];

const PAGE_SIZE = 50;
const DAY = 86_400_000;

/** The entries that match, newest first, page by page. */
export function useFeedbackEntries(query: FeedbackListQuery) {
  return usePagedQuery<FeedbackPage>({
    queryKey: ['feedback', query.propertyId, query],
    path: '/v1/feedback',
    query: { ...query, limit: PAGE_SIZE },
    keepsPrevious: true,
  });
}

/** Counts by option, status and time. */
export function useFeedbackSummary(filters: FeedbackQuery, { compare }: Period) {
  const query = { ...filters, ...(compare && { compare }) };
  const days = (query.to - query.from) / DAY;
  const interval = days <= 2 ? 'hour' : days <= 120 ? 'day' : 'week';
  const result = useQuery({
    queryKey: ['feedback-summary', query.propertyId, query],
    queryFn: ({ signal }) =>
      request<FeedbackSummary>('/v1/feedback/summary', { query: { ...query, interval }, signal }),
    placeholderData: keepPreviousData,
  });
  return { result, interval };
}

/** Sets the status or the notes of an entry, and shows it in all lists once it is saved. */
export function useChangeState(id: string, onChanged: (state: FeedbackState) => void) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: FeedbackStateBody) =>
      request<FeedbackState>(propertyPath(propertyId, 'feedback', id), { method: 'PATCH', body }),
    onSuccess: (state) => {
      const { status, notes } = state;
      onChanged(state);
      client.setQueriesData<InfiniteData<FeedbackPage>>({ queryKey: ['feedback', propertyId] }, (known) =>
        known === undefined ? known : { ...known, pages: known.pages.map(changePage) },
      );
      void client.invalidateQueries({ queryKey: ['feedback-summary', propertyId] });
      function changePage(page: FeedbackPage): FeedbackPage {
        const change = (entry: FeedbackEntry) => (entry.id === id ? { ...entry, status, notes } : entry);
        return { ...page, feedback: page.feedback.map(change) };
      }
    },
  });
}
