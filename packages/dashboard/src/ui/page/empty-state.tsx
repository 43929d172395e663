import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  /** What this is and why one wants it. */
  children: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
  /** Code that works as pasted. */
  snippet?: ReactNode;
}

/** A page or panel without content teaches what belongs here. */
export function EmptyState({ title, children, action, snippet }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <p className={classes.title}>{title}</p>
      <div className={classes.text}>{children}</div>
      {action}
      {snippet && <div className={classes.snippet}>{snippet}</div>}
    </div>
  );
}
