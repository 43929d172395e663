import { DAY_MS, outcomeIdOf } from '../history.ts';
import type { PhaseAnalysis } from './analysis.ts';
import { metricsOf, type VariationSums } from './metrics.ts';
import { isConverted, type ParticipantValues, type Reached, sum } from './outcomes.ts';
import { endOf } from './participants.ts';

const MICROS = 1e6;
const midnight = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;

/** What happened by the end of each day of the phase; everything before its first day is part of the totals. */
export function expectedSeries(analysis: PhaseAnalysis, includeBots: boolean) {
  const { phase, test, now } = analysis;
  const to = midnight(Math.min(endOf(test, phase).until, now));
  const from = Math.min(to, midnight(phase.startedAt));
  // Whatever is dated later belongs to the last day.
  const dayOf = (time: number) => (time < from ? from - DAY_MS : Math.min(midnight(time), to));
  const counted = analysis.counted(includeBots);
  const days = counted.flatMap((value) => [
    dayOf(value.participant.firstAt),
    ...analysis.outcomes.flatMap(({ id }) => value.goals.get(id)!.reached.map(({ at }) => dayOf(at))),
    ...hiddenAnswers(analysis, value).map(({ at }) => dayOf(at)),
  ]);
  if (days.length === 0) return [];
  const points: object[] = [];
  // There is a point for the totals, even if everything happened before the first day.
  for (let at = Math.max(from, Math.min(...days)); at <= Math.max(from, ...days); at += DAY_MS) {
    points.push(point(analysis, counted, at, dayOf));
  }
  return points;
}

/** Answers with any option are counted beside an option, and have a place in the series although nothing shows them. */
function hiddenAnswers(analysis: PhaseAnalysis, value: ParticipantValues): Reached[] {
  return analysis.outcomes.flatMap(({ outcome }) =>
    typeof outcome === 'string'
      ? []
      : value.goals.get(outcomeIdOf({ feedbackType: outcome.feedbackType }))!.reached,
  );
}

function point(
  analysis: PhaseAnalysis,
  counted: readonly ParticipantValues[],
  at: number,
  dayOf: (time: number) => number,
) {
  const ofVariation = (key: string) => counted.filter(({ participant }) => participant.variationKey === key);
  const visitorsUntil = (key: string) =>
    ofVariation(key).filter(({ participant }) => dayOf(participant.firstAt) <= at);
  return {
    at,
    variations: analysis.phase.variations.map(({ key }) => {
      const until = visitorsUntil(key);
      return {
        key,
        newVisitors: until.filter(({ participant }) => dayOf(participant.firstAt) === at).length,
        visitors: until.length,
      };
    }),
    goals: analysis.outcomes.map(({ id, outcome, kind }) => {
      const perDay = (key: string, goalId: string) =>
        ofVariation(key).map((value) =>
          stateOn(value.goals.get(goalId)!.reached, at, dayOf, kind === 'revenue'),
        );
      const answersId =
        typeof outcome === 'string' ? id : outcomeIdOf({ feedbackType: outcome.feedbackType });
      return {
        goalId: id,
        days: analysis.phase.variations.map(({ key }) => added(key, perDay(key, id))),
        cumulative: metricsOf(
          kind,
          analysis.phase.variations.map(({ key }) =>
            totals(key, visitorsUntil(key).length, perDay(key, id), perDay(key, answersId)),
          ),
          { statistics: null, isDecidingOnly: true },
        )[0],
      };
    }),
  };
}

interface DayState {
  converted: number;
  convertedBefore: number;
  conversions: number;
  micros: number;
  conversionsToday: number;
  microsToday: number;
}

/** What a visitor did by the end of a day, and on that day. */
function stateOn(
  reached: readonly Reached[],
  at: number,
  dayOf: (time: number) => number,
  isRevenue: boolean,
): DayState {
  const isDone = (list: readonly Reached[]) =>
    isConverted(isRevenue, { n: sum(list, 'direction'), a: sum(list, 'micros') }) ? 1 : 0;
  const until = reached.filter((it) => dayOf(it.at) <= at);
  const today = until.filter((it) => dayOf(it.at) === at);
  return {
    converted: isDone(until),
    convertedBefore: isDone(until.filter((it) => dayOf(it.at) < at)),
    conversions: Number(sum(until, 'direction')),
    micros: Number(sum(until, 'micros')),
    conversionsToday: Number(sum(today, 'direction')),
    microsToday: Number(sum(today, 'micros')),
  };
}

const add = (states: readonly DayState[], value: (state: DayState) => number) =>
  states.reduce((total, state) => total + value(state), 0);

/** The change since the day before; a visitor whose conversion is undone is subtracted. */
const added = (key: string, states: readonly DayState[]) => ({
  key,
  converted: add(states, ({ converted, convertedBefore }) => converted - convertedBefore),
  conversions: add(states, ({ conversionsToday }) => conversionsToday),
  amount: add(states, ({ microsToday }) => microsToday) / MICROS,
});

const totals = (
  key: string,
  visitors: number,
  states: readonly DayState[],
  answers: readonly DayState[],
): VariationSums => ({
  key,
  visitors,
  converted: add(states, ({ converted }) => converted),
  answered: add(answers, ({ converted }) => converted),
  conversions: {
    sum: add(states, ({ conversions }) => conversions),
    sumSquares: add(states, ({ conversions }) => conversions ** 2),
  },
  amount: {
    sum: add(states, ({ micros }) => micros) / MICROS,
    sumSquares: add(states, ({ micros }) => micros ** 2) / MICROS ** 2,
  },
  convertedAmount: add(states, ({ converted, micros }) => converted * micros) / MICROS,
});
