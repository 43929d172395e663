import { Button, Skeleton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { messageOf } from '../../api.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadError } from '../../ui/page-states.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { useLoadMore } from '../../ui/use-load-more.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { AnswerLabel } from './answer-label.tsx';
import { FeedbackDrawer } from './feedback-drawer.tsx';
import { type FeedbackQuery, STATUS_LABELS } from './feedback-filters.ts';
import classes from './feedback-page.module.css';
import { type FeedbackEntry, useFeedbackEntries } from './use-feedback.ts';

/** The entries that match; each opens beside the list. */
export function FeedbackList({ query: filters }: { query: FeedbackQuery }) {
  const query = useFeedbackEntries(filters);
  const [openId, setOpenId] = useState<string>();
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  // A page can be empty and not the last: the next one is loaded as long as the end of the list is in view.
  const canLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  const end = useLoadMore<HTMLButtonElement>(canLoad ? () => void fetchNextPage() : undefined);
  const pages = query.data?.pages;
  const entries = useMemo(() => pages?.flatMap(({ feedback }) => feedback), [pages]);
  const open = entries?.find(({ id }) => id === openId);
  return (
    <div aria-busy={query.isFetching}>
      {query.error && (
        <LoadError
          title="Cannot load the feedback"
          message={messageOf(query.error)}
          onRetry={() => void (isFetchNextPageError ? fetchNextPage() : query.refetch())}
        />
      )}
      {entries === undefined && !query.error && (
        <Skeleton height={240} role="status" aria-label="Loading the feedback" />
      )}
      {entries?.length === 0 && !hasNextPage && (
        <EmptyState title="No feedback here">
          Nothing in this period matches. Try a longer period or fewer filters.
        </EmptyState>
      )}
      <ol className={classes.entries} aria-label="Feedback">
        {entries?.map((entry) => (
          <Entry key={entry.id} entry={entry} onOpen={() => setOpenId(entry.id)} />
        ))}
      </ol>
      {hasNextPage && (
        <div className={classes.more}>
          <Button
            ref={end}
            variant="default"
            size="xs"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Show earlier feedback
          </Button>
        </div>
      )}
      {open && <FeedbackDrawer key={open.id} entry={open} onClose={() => setOpenId(undefined)} />}
    </div>
  );
}

function Entry({ entry, onOpen }: { entry: FeedbackEntry; onOpen: () => void }) {
  const { feedbackTypes } = useProperty().configuration;
  const type = feedbackTypes.find(({ id }) => id === entry.feedbackTypeId);
  return (
    <li className={classes.entry}>
      <button type="button" className={classes.open} onClick={onOpen}>
        <span className={classes.meta}>
          <AnswerLabel type={type} option={entry.option} />
          <span className="dimmed">{type?.name ?? entry.feedbackTypeId}</span>
          <span className="dimmed">
            <RelativeTime at={entry.createdAt} />
          </span>
          <span className={classes.status} data-status={entry.status}>
            {STATUS_LABELS[entry.status]}
            {entry.notes && ', with notes'}
          </span>
        </span>
        {entry.message !== null && <span className={classes.message}>{entry.message}</span>}
      </button>
    </li>
  );
}
