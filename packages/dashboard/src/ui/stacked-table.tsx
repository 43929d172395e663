import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './stacked-table.module.css';

interface StackedTableProps {
  /** Titles of the columns; an empty one is for buttons. */
  head: readonly string[];
  /** Rows whose cells have `data-label`, shown beside the cell on a phone. */
  children: ReactNode;
}

/** A table that becomes a list of cards on a phone. */
export function StackedTable({ head, children }: StackedTableProps) {
  return (
    <Table className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          {head.map((title) =>
            title === '' ? <Table.Td key="actions" /> : <Table.Th key={title}>{title}</Table.Th>,
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}
