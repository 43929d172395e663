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
  /** Points of which only a part is in the period, or over: they are drawn dashed or pale. */
  partial?: readonly (boolean | undefined)[];
  height?: number;
}

/** The time of a point, as people read it. */
export const pointName = ({ at, formatAt, partial }: TimeChartProps, index: number): string =>
  `${formatAt(at[index]!)}${partial?.[index] ? ' (in part)' : ''}`;

const COLORS = [
  'var(--sy-accent)',
  'light-dark(#c2570c, #ffa94d)',
  'light-dark(#0b7285, #66d9e8)',
  'light-dark(#862e9c, #e599f7)',
  'light-dark(#5c940d, #c0eb75)',
  'light-dark(#495057, #ced4da)',
];

/** Distinct in both themes. */
export const seriesColor = (index: number): string => COLORS[index % COLORS.length]!;
