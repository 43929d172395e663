import type { HoldoutReport } from '@switchyard/core/api/holdout';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../../api.ts';
import { formatChange } from '../../../ui/format/format.ts';
import { StackedTable } from '../../../ui/lists/stacked-table.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import classes from './library.module.css';
import type { Record } from './library-types.ts';

type Range = { estimate: number; low: number | null; high: number | null };

const written = ({ estimate, low, high }: Range) =>
  low === null || high === null
    ? formatChange(estimate)
    : `${formatChange(estimate)} (${formatChange(low)} to ${formatChange(high)})`;

/** What shipped tests are estimated to have brought, next to what the holdout has measured. */
export function ShippedGoals({ record: { shippedGoals, partial } }: { record: Record }) {
  const measured = useMeasured();
  if (shippedGoals.length === 0) return null;
  return (
    <div className={classes.shipped}>
      <h3>What shipped tests brought</h3>
      <StackedTable head={['Goal', 'Tests', 'Observed', 'Expected', ...(measured ? ['Holdout'] : [])]}>
        {shippedGoals.map(({ goalId, name, tests, observed, expected }) => {
          const holdout = measured?.get(goalId);
          return (
            <tr key={goalId}>
              <td data-label="Goal">{name}</td>
              <td data-label="Tests">{tests}</td>
              <td data-label="Observed">{formatChange(observed)}</td>
              <td data-label="Expected">{written(expected)}</td>
              {measured && <td data-label="Holdout">{holdout ? written(holdout) : 'not known'}</td>}
            </tr>
          );
        })}
      </StackedTable>
      <p className="dimmed">
        Observed is too high on average, because lucky results are shipped more often. Expected is shrunk
        towards what tests of this property usually do: an estimate, for the visitors that the tests were
        about.{' '}
        {measured &&
          'The holdout is measured: what visitors outside of it do differently, while tests run. Both get what was shipped, so the two are not the same figure. '}
        {partial > 0 && `Without ${partial} shipped for an audience only.`}
      </p>
    </div>
  );
}

/** The relative difference of each goal from the holdout; undefined without a holdout. */
function useMeasured(): ReadonlyMap<string, Range> | undefined {
  const { propertyId, configuration } = useProperty();
  const { holdout = 0, hashSeed } = configuration.property;
  const { data } = useQuery({
    queryKey: ['holdout', propertyId, holdout, hashSeed],
    queryFn: ({ signal }) =>
      request<HoldoutReport>('/v1/split-testing/holdout', { query: { propertyId }, signal }),
    enabled: holdout > 0,
    staleTime: 60_000,
  });
  if (holdout === 0) return undefined;
  const known = data?.goals.flatMap(({ goalId, finding, metrics }) => {
    const relative = metrics.find(({ decides }) => decides)?.variations[1]?.relative;
    const isUsable = finding !== 'collecting' && finding !== 'unhealthy';
    return relative && isUsable ? [[goalId, relative] as const] : [];
  });
  return new Map(known);
}
