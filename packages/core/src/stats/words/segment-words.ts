import type { DifferingSegment } from '../report/segment-effects.ts';
import { list, quote, signedChange, signedPercent } from './numbers.ts';

/** Names of further segments would only make the text longer. */
const MAX_NAMED = 3;

/** If the primary goal is a metric. */
export const METRIC_SEGMENTS_WORDS =
  'The groups are not compared: the primary goal is a metric, and metrics are counted for the whole test only.';

/** Whether the effect differs between groups of visitors, after the correction for their number. */
export function describeSegments(
  differences: readonly (DifferingSegment & { readonly name: string })[],
  compared: number,
): string {
  if (compared < 2) return 'There are no groups to compare yet.';
  if (differences.length === 0) {
    return `No group differs: the effect could be the same in all ${compared} groups. Differences between their figures are within chance.`;
  }
  const named = differences.slice(0, MAX_NAMED).map(describeDifference);
  const rest = differences.length - named.length;
  const more = rest === 0 ? '' : ` and ${rest} more`;
  return `The effect differs from the rest, after a correction for ${compared} groups, in ${list(named)}${more}.`;
}

function describeDifference({
  name,
  variation,
  effect,
  effectElsewhere,
  unit,
}: DifferingSegment & { name: string }) {
  const write = (value: number) =>
    unit === 'relative' ? signedPercent(value) : signedChange(value, 'number', '');
  return `${quote(name)} (${quote(variation)}: ${write(effect)}, elsewhere ${write(effectElsewhere)})`;
}
