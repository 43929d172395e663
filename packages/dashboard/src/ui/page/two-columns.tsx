import type { ReactNode } from 'react';
import classes from './two-columns.module.css';

/** The main part of a page, and beside it what belongs to it; below each other where there is little space. */
export function TwoColumns({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>{main}</div>
      <div className={classes.column}>{side}</div>
    </div>
  );
}
