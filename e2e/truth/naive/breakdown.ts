import type { PhaseAnalysis } from './analysis.ts';
import { metricsOf } from './metrics.ts';
import type { ParticipantValues } from './outcomes.ts';
import { countriesOf } from './units.ts';

const MAX_SEGMENTS = 50;

/** The results of each segment: the largest ones, then all others together, then the unknown. */
export function expectedSegments(analysis: PhaseAnalysis, by: string, includeBots: boolean) {
  const segmentOf = segmentsBy(analysis, by);
  const people = analysis.counted(false);
  const names = new Set(analysis.values.flatMap((value) => segmentOf.get(value) ?? []));
  const sizes = [...names].map((name) => ({
    name,
    size: people.filter((value) => segmentOf.get(value) === name).length,
  }));
  const bySize = (a: { name: string; size: number }, b: { name: string; size: number }) =>
    b.size - a.size || (a.name < b.name ? -1 : 1);
  const largest = sizes
    .sort(bySize)
    .slice(0, MAX_SEGMENTS)
    .map(({ name }) => name);
  const counted = analysis.counted(includeBots);
  const isOther = (name: string | undefined) => name !== undefined && !largest.includes(name);
  const named = largest
    .map((name) => ({ name, own: counted.filter((value) => segmentOf.get(value) === name) }))
    .sort((a, b) => bySize({ name: a.name, size: a.own.length }, { name: b.name, size: b.own.length }));
  return [
    ...named.map(({ name, own }) => segment(analysis, name, false, own)),
    segment(
      analysis,
      null,
      true,
      counted.filter((value) => isOther(segmentOf.get(value))),
    ),
    segment(
      analysis,
      null,
      false,
      counted.filter((value) => segmentOf.get(value) === undefined),
    ),
  ].filter(({ variations }) => variations.some(({ visitors }) => visitors > 0));
}

/** The value of the first exposure that has one; of several at the same time, the first in the alphabet. */
function segmentsBy({ values, recorded }: PhaseAnalysis, by: string): Map<ParticipantValues, string> {
  const countries = by === 'country' ? countriesOf(recorded) : undefined;
  const segments = new Map<ParticipantValues, string>();
  for (const value of values) {
    const [first] = value.participant.exposures
      .flatMap(({ attributes, sessionId, seenAt }) => {
        const name = attributes?.[by] ?? countries?.get(sessionId);
        return name === undefined ? [] : [{ name, seenAt }];
      })
      .sort((a, b) => a.seenAt - b.seenAt || (a.name < b.name ? -1 : 1));
    if (first !== undefined) segments.set(value, first.name);
  }
  return segments;
}

function segment(
  analysis: PhaseAnalysis,
  value: string | null,
  other: boolean,
  own: readonly ParticipantValues[],
) {
  return {
    value,
    other,
    variations: analysis.phase.variations.map(({ key }) => ({
      key,
      visitors: own.filter(({ participant }) => participant.variationKey === key).length,
    })),
    goals: analysis.outcomes.map(({ id, outcome, kind }) => ({
      goalId: id,
      metrics: metricsOf(kind, analysis.sums(own, outcome), { statistics: null }),
    })),
  };
}
