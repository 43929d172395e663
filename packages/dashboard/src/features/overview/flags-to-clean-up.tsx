import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { staleReason, useFlagUsage } from '../flags/use-flag-usage.ts';
import classes from './overview-page.module.css';

const MAX_SHOWN = 6;

/** Flags that have done their work. */
export function FlagsToCleanUp() {
  const { query } = useFlagUsage();
  return (
    <Panel title="Flags to clean up" actions={<PropertyLink to="flags">View all</PropertyLink>}>
      <Loaded query={query} what="the use of flags" height={60}>
        {({ flags }) => {
          const stale = flags.flatMap(({ flagKey, environments }) => {
            const reason = staleReason(environments);
            return reason === undefined ? [] : [{ flagKey, reason }];
          });
          if (stale.length === 0) return <p className="dimmed">None: every flag still makes a difference.</p>;
          return (
            <ul className={classes.list}>
              {stale.slice(0, MAX_SHOWN).map(({ flagKey, reason }) => (
                <li key={flagKey}>
                  <PropertyLink to={`flags/${encodeURIComponent(flagKey)}`}>{flagKey}</PropertyLink>{' '}
                  <span className="dimmed">{reason}</span>
                </li>
              ))}
              {stale.length > MAX_SHOWN && (
                <li>
                  <PropertyLink to="flags" search={{ stale: 'yes' }}>
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
