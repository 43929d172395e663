import { area, line } from 'd3-shape';
import type { ChartLayout } from './chart-layout.ts';
import { seriesColor, type TimeSeries } from './time-series.ts';

interface SeriesShapeProps {
  series: TimeSeries;
  index: number;
  layout: ChartLayout;
  partial: readonly (boolean | undefined)[];
}

/** One series of a chart: bars, or a line with its area and band. */
export function SeriesShape({ series, index, layout, partial }: SeriesShapeProps) {
  const color = series.color ?? seriesColor(index);
  const { x, y } = layout;
  if (series.kind === 'bar') {
    return <Bars values={series.values} color={color} layout={layout} partial={partial} />;
  }
  const points = series.values.map((value, at) => ({ at, value }));
  const isKnown = ({ value }: (typeof points)[number]) => value !== null;
  const draw = line<(typeof points)[number]>()
    .defined(isKnown)
    .x(({ at }) => x(at))
    .y(({ value }) => y(value!));
  const isWhole = ({ at }: (typeof points)[number]) => !partial[at];
  const [first, last] = [points.findIndex(isWhole), points.findLastIndex(isWhole)];
  const whole = first < 0 ? [] : points.slice(first, last + 1);
  const parts =
    first < 0 ? [points] : [points.slice(0, first + 1), points.slice(last)].filter((part) => part.length > 1);
  const isSingle = points.filter(isKnown).length === 1;
  return (
    <g>
      <Band series={series} color={color} layout={layout} />
      {series.kind === 'area' && (
        <path
          d={
            area<(typeof points)[number]>()
              .defined(isKnown)
              .x(({ at }) => x(at))
              .y0(y(0))
              .y1(({ value }) => y(value!))(points) ?? ''
          }
          fill={color}
          fillOpacity={0.12}
        />
      )}
      {parts.map((part) => (
        <path
          key={part[0]?.at}
          d={draw(part) ?? ''}
          fill="none"
          stroke={color}
          strokeWidth={2}
          strokeDasharray="3 4"
        />
      ))}
      <path
        d={draw(whole) ?? ''}
        fill="none"
        stroke={color}
        strokeWidth={series.kind === 'dashed' ? 1.5 : 2}
        strokeDasharray={series.kind === 'dashed' ? '4 4' : undefined}
        strokeLinejoin="round"
      />
      {isSingle &&
        points
          .filter(isKnown)
          .map(({ at, value }) => <circle key={at} cx={x(at)} cy={y(value!)} r={3} fill={color} />)}
    </g>
  );
}

interface BarsProps extends Pick<SeriesShapeProps, 'layout' | 'partial'> {
  values: TimeSeries['values'];
  color: string;
}

function Bars({ values, color, layout, partial }: BarsProps) {
  const width = Math.max(1, Math.min(layout.step * 0.7, 28));
  return values.map((value, at) => {
    if (value === null || value === 0) return null;
    const [top, bottom] = [layout.y(Math.max(value, 0)), layout.y(Math.min(value, 0))];
    return (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity of a bar
        key={at}
        x={layout.x(at) - width / 2}
        y={top}
        width={width}
        height={Math.max(bottom - top, 1)}
        fill={color}
        fillOpacity={partial[at] ? 0.5 : 1}
        rx={1.5}
      />
    );
  });
}

function Band({
  series: { band },
  color,
  layout,
}: {
  series: TimeSeries;
  color: string;
  layout: ChartLayout;
}) {
  if (band === undefined) return null;
  const points = band.lower.map((lower, at) => ({ at, lower, upper: band.upper[at] ?? null }));
  const path = area<(typeof points)[number]>()
    .defined(({ lower, upper }) => lower !== null && upper !== null)
    .x(({ at }) => layout.x(at))
    .y0(({ lower }) => layout.y(lower!))
    .y1(({ upper }) => layout.y(upper!))(points);
  return <path d={path ?? ''} fill={color} fillOpacity={0.14} />;
}
