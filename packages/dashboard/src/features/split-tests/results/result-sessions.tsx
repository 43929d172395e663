import { Text } from '@mantine/core';
import type { SessionsPage } from '@switchyard/core/api/sessions';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../../api.ts';
import { formatDateTime, plural } from '../../../ui/format/format.ts';
import { Loaded } from '../../../ui/page/panel.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import classes from './sessions-panel.module.css';

interface ResultSessionsProps {
  title: string;
  /** Filters, with the names of the API. */
  search: Record<string, string>;
}

/** Of five sessions, so that what is below does not move when they are loaded. */
const HEIGHT = 160;

/** A few sessions of a test, opened at the exposure. */
export function ResultSessions({ title, search }: ResultSessionsProps) {
  const { propertyId } = useProperty();
  const query = useQuery({
    queryKey: ['result-sessions', propertyId, search],
    queryFn: ({ signal }) =>
      request<SessionsPage>('/v1/sessions', {
        query: { propertyId, ...search, bots: 'exclude', limit: 5 },
        signal,
      }),
  });
  return (
    <Loaded query={query} what="the sessions" height={HEIGHT}>
      {({ sessions }) =>
        sessions.length === 0 ? (
          <Text c="dimmed">None so far.</Text>
        ) : (
          <ul className={classes.sessions} aria-label={`Sessions: ${title.toLowerCase()}`}>
            {sessions.map((session) => {
              const exposure = session.exposures.find((it) => it.splitTestKey === search.splitTestKey);
              const at = exposure?.at ?? session.startedAt;
              return (
                <li key={session.sessionId}>
                  <PropertyLink
                    to={`sessions/${encodeURIComponent(session.sessionId)}`}
                    search={{ at: String(at) }}
                  >
                    {formatDateTime(at)}
                  </PropertyLink>
                  <span>{exposure?.variationKey}</span>
                  <span className="dimmed">
                    {[session.device, session.country, plural(session.pageviews, 'page view')]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </li>
              );
            })}
          </ul>
        )
      }
    </Loaded>
  );
}
