import classes from './time-chart.module.css';
import type { TimeChartProps } from './time-chart.tsx';

type ChartTableProps = Pick<TimeChartProps, 'label' | 'at' | 'series' | 'format' | 'formatAt'>;

/** The numbers of a chart, folded. */
export function ChartTable({ label, at, series, format, formatAt }: ChartTableProps) {
  return (
    <details className={classes.table}>
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <section className={classes.scroll} tabIndex={0} aria-label={label}>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map((each) => (
                <th key={each.label} scope="col">
                  {each.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {at.map((time, index) => (
              <tr key={time}>
                <th scope="row">{formatAt(time)}</th>
                {series.map(({ label: name, values }) => {
                  const value = values[index];
                  return <td key={name}>{value == null ? '–' : format(value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
