import { effectOf } from '../goals/effect.ts';
import type { MetricResult, Results } from '../results-types.ts';

type Series = NonNullable<Results['series']>;

interface UpliftSeries {
  goal: Series[number]['goals'][number];
  /** Of the last day, for the format of the values. */
  metric: MetricResult;
  at: number[];
  values: (number | null)[];
  lower: (number | null)[];
  upper: (number | null)[];
  /** Some intervals are wider than the chart. */
  isCut: boolean;
}

/** The first days have intervals so wide that the rest of the chart would be flat. */
const MAX_WIDTH = 3;

/** The uplift of a variation on the primary goal, day by day; undefined if there is nothing to compare. */
export function upliftSeries(results: Results, variation: string): UpliftSeries | undefined {
  const points = results.series ?? [];
  const goalOf = (point: Series[number]) => point.goals.find(({ role }) => role === 'primary');
  const goal = points.length > 0 ? goalOf(points.at(-1)!) : undefined;
  if (goal === undefined) return undefined;
  const metric = goal.cumulative;
  const effects = points.map((point) => {
    const own = goalOf(point)?.cumulative;
    const result = own?.variations.find(({ key }) => key === variation);
    // The unit of the last day, so that all points have the same one.
    return result ? effectOf(metric, result) : null;
  });
  const last = effects.findLast((effect) => effect?.low != null && effect.high !== null);
  const limit = last
    ? MAX_WIDTH * Math.max(Math.abs(last.low!), Math.abs(last.high!))
    : Number.POSITIVE_INFINITY;
  const cut = (value: number | null, end: number) =>
    value === null ? end : Math.min(Math.max(value, -limit), limit);
  // Without any limits, nothing is known; a single open end reaches to the edge.
  const hasBand = (effect: (typeof effects)[number]) =>
    effect !== null && Number.isFinite(limit) && (effect.low !== null || effect.high !== null);
  return {
    goal,
    metric,
    at: points.map(({ at }) => at),
    values: effects.map((effect) => (effect === null ? null : cut(effect.estimate, 0))),
    lower: effects.map((effect) => (hasBand(effect) ? cut(effect!.low, -limit) : null)),
    upper: effects.map((effect) => (hasBand(effect) ? cut(effect!.high, limit) : null)),
    isCut: effects.some(
      (effect) =>
        effect !== null &&
        [effect.low, effect.high].some((end) => Math.abs(end ?? Number.POSITIVE_INFINITY) > limit),
    ),
  };
}
