import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { countryName } from '../../ui/format/country-name.ts';
import { formatDateTime, formatDuration, plural } from '../../ui/format/format.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { FiguresError } from '../../ui/page/late-figures.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PageSkeleton } from '../../ui/page/page-states.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { PersonActions } from './person-actions.tsx';
import { SessionFlagValues } from './session-flag-values.tsx';
import classes from './session-page.module.css';
import { sessionQuery } from './session-query.ts';
import { SessionTimeline } from './session-timeline.tsx';
import { type Question, WhyPanel } from './why-panel.tsx';

const URL_DEFAULTS = { at: '' } as const;

/** One visit from its first page to its last event. */
export function SessionPage() {
  const { propertyId } = useProperty();
  const { sessionId } = useParams({ strict: false }) as { sessionId: string };
  const [{ at }] = useUrlState(URL_DEFAULTS);
  const [question, setQuestion] = useState<Question>();
  const session = useInfiniteQuery(sessionQuery(propertyId, sessionId));
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = session;
  const [first] = data?.pages ?? [];
  const facts = first && [
    plural(first.pageviews, 'page view'),
    formatDuration(first.durationMs / 1000),
    ...[
      first.country && countryName(first.country),
      first.device,
      first.browser,
      first.os,
      first.bot && 'bot',
    ],
  ];
  return (
    <Page
      title={first ? `Session of ${formatDateTime(first.startedAt)}` : 'Session'}
      description={
        <>
          <code>{sessionId}</code> · {facts?.filter(Boolean).join(' · ')}
          {first?.visitorId && (
            <>
              {' · visitor '}
              <PropertyLink to={`visitors/${encodeURIComponent(first.visitorId)}`}>
                {first.visitorId}
              </PropertyLink>
            </>
          )}
          {first?.userId && ` · user ${first.userId}`}
        </>
      }
      actions={
        <>
          {first?.userId && <PersonActions kind="user" id={first.userId} />}
          <PersonActions kind="session" id={sessionId} />
        </>
      }
    >
      <ErasureProgress />
      {error && (
        <FiguresError title="Cannot load the session" error={error} onRetry={() => void session.refetch()} />
      )}
      {!data && !error && <PageSkeleton />}
      {first && (
        <div className={classes.columns}>
          <Panel title="Timeline" flush>
            <SessionTimeline
              entries={data!.pages.flatMap(({ timeline }) => timeline)}
              highlighted={at === '' ? undefined : Number(at)}
              onWhy={setQuestion}
              {...(hasNextPage && { onMore: () => void fetchNextPage(), isLoadingMore: isFetchingNextPage })}
            />
          </Panel>
          <div className={classes.side}>
            <WhyPanel
              key={`${question?.type} ${question?.key} ${question?.at}`}
              subject={{ sessionId }}
              defaultAt={first.startedAt}
              question={question}
            />
            <SessionFlagValues sessionId={sessionId} startedAt={first.startedAt} onWhy={setQuestion} />
            {first.attributes && Object.keys(first.attributes).length > 0 && (
              <Panel title="Attributes">
                <pre className={classes.attributes}>{JSON.stringify(first.attributes, null, 2)}</pre>
              </Panel>
            )}
          </div>
        </div>
      )}
    </Page>
  );
}
