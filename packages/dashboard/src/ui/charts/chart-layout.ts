import { linearScale } from './linear-scale.ts';
import type { TimeChartProps } from './time-series.ts';

export interface ChartLayout {
  left: number;
  right: number;
  bottom: number;
  /** Width that belongs to one point, for bars. */
  step: number;
  /** Position of a point. */
  x: (index: number) => number;
  /** Position of any time. */
  xAt: (at: number) => number;
  y: (value: number) => number;
  yTicks: readonly number[];
  /** Points with a label. */
  xTicks: readonly number[];
  anchor: (index: number) => 'middle' | 'end';
  nearest: (x: number) => number;
}

const CHARACTER_WIDTH = 7;
const AXIS_HEIGHT = 24;
const TOP = 8;

/** Scales, ticks and sizes of a chart. */
export function chartLayout(
  { at, series, format, formatAt, reference }: TimeChartProps,
  width: number,
  height: number,
): ChartLayout {
  const bottom = height - AXIS_HEIGHT;
  const count = Math.max(2, Math.floor(height / 50));
  const y = linearScale(valueRange(series, reference?.value), [bottom, TOP], count);
  const yTicks = distinctTicks(y.ticks, format);
  const left = Math.max(...yTicks.map((tick) => format(tick).length), 2) * CHARACTER_WIDTH + 8;
  const right = width - 8;
  const step = (right - left) / Math.max(at.length, 1);
  const x = (index: number) => left + step * (index + 0.5);
  const first = at[0] ?? 0;
  const interval = at.length > 1 ? (at.at(-1)! - first) / (at.length - 1) : 1;
  const labelWidth = formatAt(first).length * CHARACTER_WIDTH;
  const every = tickDistance(at.length, step, labelWidth + 16);
  const clamp = (value: number, max: number) => Math.min(Math.max(value, 0), max);
  return {
    left,
    right,
    bottom,
    step,
    x,
    y,
    yTicks,
    xAt: (time) => Math.min(Math.max(x((time - first) / interval), left), right),
    xTicks: at.map((_, index) => index).filter((index) => index % every === 0),
    anchor: (index) => (x(index) + labelWidth / 2 > width ? 'end' : 'middle'),
    nearest: (position) => clamp(Math.round((position - left) / step - 0.5), at.length - 1),
  };
}

/** Counts are written as whole numbers: ticks between them would repeat a label. */
function distinctTicks(ticks: readonly number[], format: (value: number) => string): readonly number[] {
  const labels = ticks.map(format);
  const isRepeated = (label: string) => labels.indexOf(label) !== labels.lastIndexOf(label);
  return ticks.filter((tick, index) => Number.isInteger(tick) || !isRepeated(labels[index]!));
}

/** From zero for counts; bands and references are included. */
function valueRange(series: TimeChartProps['series'], reference: number | undefined): [number, number] {
  const values = series.flatMap(({ values, band }) => [
    ...values,
    ...(band?.lower ?? []),
    ...(band?.upper ?? []),
  ]);
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (reference !== undefined) known.push(reference);
  let min = 0;
  let max = 0;
  for (const value of known) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min === max ? [0, 1] : [min, max];
}

/** Labels every so many points, so that they do not overlap. */
const tickDistance = (points: number, step: number, labelWidth: number) =>
  Math.min(Math.max(1, Math.ceil(labelWidth / step)), Math.max(points, 1));
