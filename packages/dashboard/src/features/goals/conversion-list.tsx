import type { ConversionsPage } from '@switchyard/core/api/goals';
import type { Period } from '../../ui/fields/period-of.ts';
import { formatMoney } from '../../ui/format/format.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { useListPeriod } from '../../ui/hooks/use-list-period.ts';
import { usePagedQuery } from '../../ui/hooks/use-paged-query.ts';
import { PagedList } from '../../ui/lists/paged-list.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './conversion-list.module.css';

const PAGE_SIZE = 10;

/** The latest conversions of a goal with their metadata and session. */
export function ConversionList({ goalId, period }: { goalId: string; period: Period }) {
  const { propertyId } = useProperty();
  const { from, to } = useListPeriod(period);
  const query = usePagedQuery<ConversionsPage>({
    queryKey: ['conversions', propertyId, goalId, from, to],
    path: '/v1/goals/conversions',
    query: { propertyId, goalId, from, to, limit: PAGE_SIZE },
    keepsPrevious: true,
  });
  return (
    <PagedList
      query={query}
      what="the conversions"
      items={({ conversions }) => conversions}
      more="Show earlier conversions"
      empty="No conversions in this period."
      // The first further page is asked for with the button: what follows on the page stays within reach.
      pagesBeforeScrolling={2}
      flush
    >
      {(conversions) => (
        <StackedTable head={['Time', 'Type', 'Amount', 'Metadata', 'Session']}>
          {conversions.map((conversion) => (
            <ConversionRow key={conversion.id} conversion={conversion} />
          ))}
        </StackedTable>
      )}
    </PagedList>
  );
}

type Conversion = ConversionsPage['conversions'][number];

function ConversionRow({
  conversion: { type, amount, metadata, sessionId, createdAt, bot },
}: {
  conversion: Conversion;
}) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  return (
    <tr>
      <td data-label="Time" className={classes.short}>
        <RelativeTime at={createdAt} />
      </td>
      <td data-label="Type" className={classes.short}>
        {type === 'increment' ? 'Conversion' : 'Refund'}
        {bot && ' (bot)'}
      </td>
      <td data-label="Amount" className={classes.short}>
        {amount === 0 ? '–' : formatMoney(amount, currency)}
      </td>
      <td data-label="Metadata">
        {Object.entries(metadata)
          .map(([name, value]) => `${name}: ${value}`)
          .join(', ') || '–'}
      </td>
      <td data-label="Session">
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
      </td>
    </tr>
  );
}
