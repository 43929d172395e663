import { Skeleton, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { formatTime } from '../format/format.ts';
import { FiguresError } from './late-figures.tsx';
import classes from './panel.module.css';

interface PanelProps {
  title: string;
  /** Beside the title, on the right. */
  actions?: ReactNode;
  /** One line below the title; an empty text reserves it, so that nothing moves when it arrives. */
  hint?: ReactNode;
  /** Without padding, for tables and lists. */
  flush?: boolean;
  id?: string;
  children: ReactNode;
}

/** A titled part of a page. */
export function Panel({ title, actions, hint, flush = false, id, children }: PanelProps) {
  const titleId = useId();
  return (
    <section className={classes.panel} aria-labelledby={titleId} id={id}>
      <header className={classes.header}>
        <Title order={2} id={titleId}>
          {title}
        </Title>
        {actions && <div className={classes.actions}>{actions}</div>}
        {hint !== undefined && <p className={classes.hint}>{hint || '\u00A0'}</p>}
      </header>
      <div className={flush ? undefined : classes.content}>{children}</div>
    </section>
  );
}

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** Height of the placeholder while nothing is known yet. */
  height?: number;
  /** What could not be loaded, as in "Cannot load the goals". */
  what: string;
  children: (data: T) => ReactNode;
}

/**
 * The content of a panel that loads by itself. The last figures stay visible while new ones are computed, and when that
 * fails; an error is never shown as "no data".
 */
export function Loaded<T>({ query, height = 120, what, children }: LoadedProps<T>) {
  const { data, error, isFetching, dataUpdatedAt } = query;
  const retry = () => void query.refetch();
  if (data === undefined) {
    if (error) return <FiguresError title={`Cannot load ${what}`} error={error} onRetry={retry} />;
    return <Skeleton height={height} aria-label={`Loading ${what}`} role="status" />;
  }
  return (
    <div aria-busy={isFetching} className={isFetching ? classes.refreshing : undefined}>
      {error && (
        <FiguresError
          title={`Cannot refresh ${what}: showing the state of ${formatTime(dataUpdatedAt)}`}
          error={error}
          onRetry={retry}
        />
      )}
      {children(data)}
    </div>
  );
}
