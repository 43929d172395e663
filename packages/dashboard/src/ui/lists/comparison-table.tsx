import type { Key, ReactNode } from 'react';
import classes from './comparison-table.module.css';

interface ComparisonTableProps {
  /** Titles of the columns, the first of the labels of the rows. */
  head: readonly string[];
  rows: readonly { key: Key; label: ReactNode; cells: readonly ReactNode[]; isMarked?: boolean }[];
}

/** Values side by side, below each other on a phone. */
export function ComparisonTable({ head: [first, ...head], rows }: ComparisonTableProps) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          {first === '' ? <td /> : <th scope="col">{first}</th>}
          {head.map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, cells, isMarked }) => (
          <tr key={key} data-marked={isMarked}>
            <th scope="row">{label}</th>
            {cells.map((cell, index) => (
              <td key={head[index]} data-label={head[index]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
