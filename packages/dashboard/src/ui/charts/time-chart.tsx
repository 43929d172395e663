import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { useWidth } from '../hooks/use-width.ts';
import { type ChartLayout, chartLayout } from './chart-layout.ts';
import { ChartTable } from './chart-table.tsx';
import { SeriesShape } from './series-shape.tsx';
import classes from './time-chart.module.css';
import { pointName, seriesColor, type TimeChartProps, type TimeSeries } from './time-series.ts';

/** "Show as table", below the chart; a placeholder of both heights together keeps what follows in its place. */
export const TABLE_LINE_HEIGHT = 22;

/** Values over time as SVG: read with the pointer, with the arrow keys, or as a table. */
export function TimeChart(props: TimeChartProps) {
  const { label, at, series, height = 200 } = props;
  const { ref, width } = useWidth();
  const [active, setActive] = useState<number>();
  const layout = chartLayout(props, Math.max(width, 200), height);
  const last = at.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextPoint(event.key, active, last);
    if (next === active) return;
    event.preventDefault();
    setActive(next);
  };
  const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setActive(layout.nearest(event.clientX - left));
  };
  if (at.length === 0) return null;
  const readout = active === undefined ? '' : describePoint(props, active);
  return (
    <div className={classes.chart}>
      <Legend series={series} />
      {/* biome-ignore lint/a11y/useSemanticElements: a group of drawn values has no element of its own */}
      <div
        ref={ref}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values
        tabIndex={0}
        aria-label={`${label}. Use the arrow keys to read the values.`}
        className={classes.plot}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(undefined)}
      >
        <svg
          aria-hidden="true"
          width="100%"
          height={height}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setActive(undefined)}
        >
          <Axes layout={layout} {...props} />
          {series.map((each, index) => (
            <SeriesShape
              key={each.label}
              series={each}
              index={index}
              layout={layout}
              partial={props.partial ?? []}
            />
          ))}
          <Markers layout={layout} markers={props.markers ?? []} />
          {active !== undefined && (
            <line
              className={classes.cursor}
              x1={layout.x(active)}
              x2={layout.x(active)}
              y1={0}
              y2={layout.bottom}
            />
          )}
        </svg>
        <div role="status" className={classes.readout} data-visible={active !== undefined}>
          {readout}
        </div>
      </div>
      <ChartTable {...props} />
    </div>
  );
}

function nextPoint(key: string, active: number | undefined, last: number): number | undefined {
  if (key === 'ArrowRight') return Math.min((active ?? -1) + 1, last);
  if (key === 'ArrowLeft') return Math.max((active ?? last + 1) - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key === 'Escape') return undefined;
  return active;
}

function describePoint(props: TimeChartProps, index: number): string {
  const { series, format } = props;
  const values = series.map(({ label, values, band }) => {
    const value = values[index];
    if (value == null) return `${label} –`;
    const lower = band?.lower[index];
    const upper = band?.upper[index];
    const interval = lower != null && upper != null ? ` (${format(lower)} to ${format(upper)})` : '';
    return `${label} ${format(value)}${interval}`;
  });
  return `${pointName(props, index)}: ${values.join(' · ')}`;
}

function Legend({ series }: { series: readonly TimeSeries[] }) {
  if (series.length < 2) return null;
  return (
    <ul className={classes.legend} aria-hidden="true">
      {series.map(({ label, color, kind }, index) => (
        <li key={label}>
          <span
            className={classes.swatch}
            data-kind={kind}
            style={{ borderColor: color ?? seriesColor(index) }}
          />
          {label}
        </li>
      ))}
    </ul>
  );
}

function Axes({ layout, at, format, formatAt, reference }: TimeChartProps & { layout: ChartLayout }) {
  return (
    <g className={classes.axes}>
      {layout.yTicks.map((value) => (
        <g key={value}>
          <line x1={layout.left} x2={layout.right} y1={layout.y(value)} y2={layout.y(value)} />
          <text x={layout.left - 6} y={layout.y(value)} dy="0.32em" textAnchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {layout.xTicks.map((index) => (
        <text key={index} x={layout.x(index)} y={layout.bottom + 16} textAnchor={layout.anchor(index)}>
          {formatAt(at[index]!)}
        </text>
      ))}
      {reference && (
        <line
          className={classes.reference}
          x1={layout.left}
          x2={layout.right}
          y1={layout.y(reference.value)}
          y2={layout.y(reference.value)}
        />
      )}
    </g>
  );
}

function Markers({
  layout,
  markers,
}: {
  layout: ChartLayout;
  markers: NonNullable<TimeChartProps['markers']>;
}) {
  return markers.map(({ at, label }) => (
    <g key={`${at} ${label}`} className={classes.marker}>
      <title>{label}</title>
      <line x1={layout.xAt(at)} x2={layout.xAt(at)} y1={4} y2={layout.bottom} />
      <circle cx={layout.xAt(at)} cy={4} r={3.5} />
    </g>
  ));
}
