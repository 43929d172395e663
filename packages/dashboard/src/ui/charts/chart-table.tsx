import classes from './time-chart.module.css';
import { pointName, type TimeChartProps } from './time-series.ts';

/** The numbers of a chart, folded. */
export function ChartTable(props: TimeChartProps) {
  const { label, at, series, format } = props;
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
                <th scope="row">{pointName(props, index)}</th>
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
