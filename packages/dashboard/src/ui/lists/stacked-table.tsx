import type { ReactNode } from 'react';
import classes from './stacked-table.module.css';
import tables from './table.module.css';

interface StackedTableProps {
  /** Titles of the columns; an empty one is for buttons. */
  head: readonly string[];
  /** Rows whose cells have `data-label`, shown beside the cell on a phone. */
  children: ReactNode;
}

/** A table that becomes a list of cards on a phone. */
export function StackedTable({ head, children }: StackedTableProps) {
  return (
    <table className={`${tables.table} ${classes.table}`}>
      <thead>
        <tr>
          {head.map((title) =>
            title === '' ? (
              <td key="actions" />
            ) : (
              <th scope="col" key={title}>
                {title}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
