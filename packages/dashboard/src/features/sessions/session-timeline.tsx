import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatClock } from '../../ui/format/format.ts';
import type { Configuration } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { findReported } from '../split-tests/reported-tests.ts';
import classes from './session-page.module.css';
import { describeEntry, type TimelineEntry } from './timeline-words.ts';
import type { Question } from './why-panel.tsx';

interface SessionTimelineProps {
  entries: readonly TimelineEntry[];
  /** Scrolls to the entries of this time. */
  highlighted: number | undefined;
  onWhy: (question: Question) => void;
  onMore?: () => void;
  isLoadingMore?: boolean;
}

/** What happened in a session, oldest first. */
export function SessionTimeline({
  entries,
  highlighted,
  onWhy,
  onMore,
  isLoadingMore,
}: SessionTimelineProps) {
  const { configuration } = useProperty();
  const marked = useRef<HTMLLIElement>(null);
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), []);
  return (
    <>
      <ol>
        {entries.map((entry, index) => {
          const { title, detail } = describeEntry(entry, configuration);
          const isMarked = entry.at === highlighted;
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever appended
              key={index}
              className={classes.entry}
              data-highlighted={isMarked}
              {...(isMarked && { ref: marked, 'aria-current': 'true' })}
            >
              <time className={classes.time} dateTime={new Date(entry.at).toISOString()}>
                {formatClock(entry.at)}
              </time>
              <div>
                {title}
                {detail && <div className={classes.detail}>{detail}</div>}
              </div>
              {entry.splitTestKey !== undefined && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Why ${entry.variationKey} of ${entry.splitTestKey}?`}
                  onClick={() => onWhy({ ...whyOf(entry.splitTestKey!, configuration), at: entry.at })}
                >
                  Why?
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      {onMore && (
        <div className={classes.more}>
          <Button size="xs" variant="default" loading={isLoadingMore ?? false} onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/** A measured rule is explained by its flag. */
function whyOf(testKey: string, configuration: Configuration): Omit<Question, 'at'> {
  const rule = findReported(configuration, testKey)?.measuredRule;
  if (rule === undefined) return { type: 'split-test', key: testKey };
  return { type: 'flag', key: rule.flagKey, environment: rule.environment };
}
