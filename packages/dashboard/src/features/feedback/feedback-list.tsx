import { useState } from 'react';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { PagedList } from '../../ui/lists/paged-list.tsx';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { AnswerLabel } from './answer-label.tsx';
import { FeedbackDrawer } from './feedback-drawer.tsx';
import { type FeedbackListQuery, STATUS_LABELS } from './feedback-filters.ts';
import classes from './feedback-page.module.css';
import { type FeedbackEntry, useFeedbackEntries } from './use-feedback.ts';

/** The entries that match; each opens beside the list. */
export function FeedbackList({ query: filters }: { query: FeedbackListQuery }) {
  const query = useFeedbackEntries(filters);
  // The entry itself: it stays open when it is not in the list any more, for example because of its new status.
  const [opened, setOpened] = useState<FeedbackEntry>();
  const listed = query.data?.pages.flatMap(({ feedback }) => feedback);
  const open = opened && (listed?.find(({ id }) => id === opened.id) ?? opened);
  return (
    <>
      <PagedList
        query={query}
        what="the feedback"
        items={({ feedback }) => feedback}
        more="Show earlier feedback"
        empty={
          <EmptyState title="No feedback here">
            Nothing in this period matches. Try a longer period or fewer filters.
          </EmptyState>
        }
        pagesBeforeScrolling={1}
        flush
      >
        {(entries) => (
          <ol aria-label="Feedback">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} onOpen={() => setOpened(entry)} />
            ))}
          </ol>
        )}
      </PagedList>
      {open && (
        <FeedbackDrawer
          key={open.id}
          entry={open}
          onChanged={({ id, status, notes }) =>
            setOpened((entry) => (entry?.id === id ? { ...entry, status, notes } : entry))
          }
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
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
