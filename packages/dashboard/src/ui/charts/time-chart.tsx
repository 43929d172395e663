export interface TimeSeries {
  label: string;
  /** One per point; null leaves a gap. */
  values: readonly (number | null)[];
  kind: 'line' | 'area' | 'bar' | 'dashed';
  color?: string;
  /** Interval around the values, such as a confidence band. */
  band?: { lower: readonly (number | null)[]; upper: readonly (number | null)[] };
}

export interface TimeChartProps {
  /** What the chart shows, for assistive technology and the caption of the table. */
  label: string;
  /** Times of the points, ascending. */
  at: readonly number[];
  series: readonly TimeSeries[];
  format: (value: number) => string;
  formatAt: (at: number) => string;
  /** Vertical lines: tests that started, flags that changed. */
  markers?: readonly { at: number; label: string }[];
  /** A horizontal line, such as 0 or a target. */
  reference?: { value: number; label: string };
  height?: number;
}

/** Values over time as SVG, with the same numbers as a table. */
export function TimeChart({ label, at, series, format, formatAt }: TimeChartProps) {
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th>Time</th>
          {series.map((each) => (
            <th key={each.label}>{each.label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {at.map((time, index) => (
          <tr key={time}>
            <td>{formatAt(time)}</td>
            {series.map((each) => {
              const value = each.values[index];
              return <td key={each.label}>{value == null ? '–' : format(value)}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
