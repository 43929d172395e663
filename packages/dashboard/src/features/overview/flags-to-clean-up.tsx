import type { FlagUsageList } from '@switchyard/core/api/flag-usage';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { formatDate } from '../../ui/format.ts';
import { Loaded, Panel } from '../../ui/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './overview-page.module.css';

const MAX_SHOWN = 6;

const REASONS = {
  same_value: 'always had the same value since',
  not_evaluated: 'has not been evaluated since',
} as const;

/** Flags that have done their work. */
export function FlagsToCleanUp() {
  const { propertyId } = useProperty();
  const usage = useQuery({
    queryKey: ['flag-usage', propertyId],
    queryFn: ({ signal }) => request<FlagUsageList>('/v1/flags/usage', { query: { propertyId }, signal }),
    staleTime: 60_000,
  });
  return (
    <Panel title="Flags to clean up" actions={<PropertyLink to="flags">View all</PropertyLink>}>
      <Loaded query={usage} what="the use of flags" height={60}>
        {({ flags }) => {
          const stale = flags.flatMap(({ flagKey, environments }) => {
            const found =
              environments.find(({ environment }) => environment === 'production') ?? environments[0];
            return found?.stale ? [{ flagKey, stale: found.stale }] : [];
          });
          if (stale.length === 0) return <p className="dimmed">None: every flag still makes a difference.</p>;
          return (
            <ul className={classes.list}>
              {stale.slice(0, MAX_SHOWN).map(({ flagKey, stale: { reason, since } }) => (
                <li key={flagKey}>
                  <PropertyLink to={`flags/${encodeURIComponent(flagKey)}`}>{flagKey}</PropertyLink>{' '}
                  <span className="dimmed">
                    {REASONS[reason]} {formatDate(since)}
                  </span>
                </li>
              ))}
              {stale.length > MAX_SHOWN && (
                <li>
                  <PropertyLink to="flags" search={{ stale: 'true' }}>
                    {stale.length - MAX_SHOWN} more
                  </PropertyLink>
                </li>
              )}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}
