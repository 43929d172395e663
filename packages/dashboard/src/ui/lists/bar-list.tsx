import classes from './bar-list.module.css';

interface BarRow {
  key: string;
  label: string;
  value: number;
  /** Shown instead of the value. */
  text?: string;
  color?: string | undefined;
}

interface BarListProps {
  /** What the rows are, such as "Pages". */
  label: string;
  rows: readonly BarRow[];
  format: (value: number) => string;
  /** What a click on a row does, such as "Filter by"; the label of the row follows. */
  action?: { label: string; onSelect: (row: BarRow) => void };
}

/** Values by name, largest first, each with a bar behind it. */
export function BarList({ label, rows, format, action }: BarListProps) {
  const max = Math.max(...rows.map(({ value }) => value), 1);
  return (
    <ul className={classes.list} aria-label={label}>
      {rows.map((row) => (
        <li key={row.key} className={classes.row}>
          <span className={classes.bar} style={{ width: `${(100 * row.value) / max}%` }} />
          {row.color && <span className={classes.dot} style={{ background: row.color }} />}
          {action ? (
            <button
              type="button"
              className={classes.label}
              aria-label={`${action.label} ${row.label}`}
              title={row.label}
              onClick={() => action.onSelect(row)}
            >
              {row.label}
            </button>
          ) : (
            <span className={classes.label} title={row.label}>
              {row.label}
            </span>
          )}
          <span className={classes.value}>{row.text ?? format(row.value)}</span>
        </li>
      ))}
    </ul>
  );
}
