import type { HistoryPage } from '@switchyard/core/api/management';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './overview-page.module.css';

export const latestChangesQuery = (propertyId: string) =>
  queryOptions({
    queryKey: ['history', propertyId, 'latest'],
    queryFn: ({ signal }) =>
      request<Static<typeof HistoryPage>>(propertyPath(propertyId, 'history'), {
        query: { limit: 6 },
        signal,
      }),
  });

/** Who changed what lately. */
export function LatestChanges() {
  const { propertyId } = useProperty();
  const history = useQuery(latestChangesQuery(propertyId));
  return (
    <Panel title="Latest changes" actions={<PropertyLink to="history">View all</PropertyLink>}>
      <Loaded query={history} what="the history" height={120}>
        {({ history: entries }) => (
          <ul className={classes.list}>
            {entries.map(({ id, at, actor, summary, comment }) => (
              <li key={id}>
                <div className={classes.row}>
                  <span>{actor.name}</span>
                  <span className="dimmed">
                    <RelativeTime at={at} />
                  </span>
                </div>
                <div className="dimmed">
                  {summary[0]}
                  {summary.length > 1 && ` and ${summary.length - 1} more`}
                  {comment && ` — ${comment}`}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
