import { Button, Skeleton, Table } from '@mantine/core';
import type { ConversionsPage } from '@switchyard/core/api/goals';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { messageOf, request } from '../../api.ts';
import { formatMoney } from '../../ui/format.ts';
import { LoadError } from '../../ui/page-states.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StackedTable } from '../../ui/stacked-table.tsx';
import { useLoadMore } from '../../ui/use-load-more.ts';
import type { Period } from '../../ui/use-period.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './conversion-list.module.css';

const PAGE_SIZE = 10;

/** The latest conversions of a goal with their metadata and session. */
export function ConversionList({ goalId, period }: { goalId: string; period: Period }) {
  const { propertyId } = useProperty();
  const { from, to } = period;
  const query = useInfiniteQuery({
    queryKey: ['conversions', propertyId, goalId, from, to],
    queryFn: ({ pageParam, signal }) =>
      request<ConversionsPage>('/v1/goals/conversions', {
        query: { propertyId, goalId, from, to, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const isFirst = (query.data?.pages.length ?? 0) < 2;
  const canLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isFirst;
  // The first further page is asked for with the button: what follows on the page stays within reach.
  const end = useLoadMore<HTMLButtonElement>(canLoad ? () => void fetchNextPage() : undefined);
  const conversions = query.data?.pages.flatMap((page) => page.conversions);
  return (
    <div aria-busy={query.isFetching}>
      {query.error && (
        <LoadError
          title="Cannot load the conversions"
          message={messageOf(query.error)}
          onRetry={() => void (isFetchNextPageError ? fetchNextPage() : query.refetch())}
        />
      )}
      {conversions === undefined && !query.error && (
        <Skeleton height={160} role="status" aria-label="Loading the conversions" />
      )}
      {conversions?.length === 0 && <p className={classes.note}>No conversions in this period.</p>}
      {conversions !== undefined && conversions.length > 0 && (
        <StackedTable head={['Time', 'Type', 'Amount', 'Metadata', 'Session']}>
          {conversions.map((conversion) => (
            <ConversionRow key={conversion.id} conversion={conversion} />
          ))}
        </StackedTable>
      )}
      {hasNextPage && (
        <div className={classes.note}>
          <Button
            ref={end}
            variant="default"
            size="xs"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Show earlier conversions
          </Button>
        </div>
      )}
    </div>
  );
}

type Conversion = ConversionsPage['conversions'][number];

function ConversionRow({
  conversion: { type, amount, metadata, sessionId, createdAt },
}: {
  conversion: Conversion;
}) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  return (
    <Table.Tr>
      <Table.Td data-label="Time" className={classes.short}>
        <RelativeTime at={createdAt} />
      </Table.Td>
      <Table.Td data-label="Type" className={classes.short}>
        {type === 'increment' ? 'Conversion' : 'Refund'}
      </Table.Td>
      <Table.Td data-label="Amount" className={classes.short}>
        {amount === 0 ? '–' : formatMoney(amount, currency)}
      </Table.Td>
      <Table.Td data-label="Metadata">
        {Object.entries(metadata)
          .map(([name, value]) => `${name}: ${value}`)
          .join(', ') || '–'}
      </Table.Td>
      <Table.Td data-label="Session">
        {sessionId === null ? (
          <span className="dimmed">none</span>
        ) : (
          <PropertyLink
            to={`sessions/${encodeURIComponent(sessionId)}`}
            className={classes.session}
            title={sessionId}
          >
            {sessionId}
          </PropertyLink>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
