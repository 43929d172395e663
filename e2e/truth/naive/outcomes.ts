import { DAY_MS, type Outcome, outcomeIdOf, type Setup, type TestSetup } from '../history.ts';
import { exposuresTo, isCounted, type Participant, type ParticipantsOfPhase } from './participants.ts';
import type { Recorded } from './recorded.ts';
import { sessionsOf } from './units.ts';

/** One thing that a unit did for a goal. */
export interface Reached {
  at: number;
  direction: number;
  micros: bigint;
}

/** What a participant did for a goal since the first exposure (`n`, `a`) and in the days before the test (`n0`, `a0`). */
export interface GoalValues {
  n: bigint;
  a: bigint;
  n0: bigint;
  a0: bigint;
  converted: boolean;
  /** All that count as an outcome. */
  reached: Reached[];
}

export interface ParticipantValues {
  participant: Participant;
  /** By id of the goal. */
  goals: Map<string, GoalValues>;
  /** Sessions in the days before the test, and micro-dollars of all revenue goals. */
  sessions: bigint;
  revenue: bigint;
}

/** Values of all participants; those that are not counted have none. */
export function valuesOf(
  setup: Setup,
  recorded: Recorded,
  test: TestSetup,
  { unitOf, participants }: ParticipantsOfPhase,
): ParticipantValues[] {
  const goals = outcomesOf(test);
  const reachedBy = new Map(goals.map((goal) => [outcomeIdOf(goal), byUnit(recorded, goal, unitOf)]));
  const revenueGoals = setup.goals.filter(({ kind }) => kind === 'revenue');
  const revenueBy = revenueGoals.map(({ id }) => byUnit(recorded, id, unitOf));
  const days = setup.statistics.cuped ? setup.statistics.preDays : 0;
  const freeSessions = sessionsWithoutExposure(setup, recorded, test, unitOf);
  const values = participants.map((participant): ParticipantValues => {
    const { unit, firstEver } = participant;
    const isBefore = ({ at }: { at: number }) => at >= firstEver - days * DAY_MS && at < firstEver;
    const valuesFor = (goal: Outcome): [string, GoalValues] => {
      const id = outcomeIdOf(goal);
      return [id, goalValues(setup, id, reachedBy.get(id)!.get(unit) ?? [], participant, isBefore)];
    };
    return {
      participant,
      goals: new Map(isCounted(participant) ? goals.map(valuesFor) : []),
      sessions: BigInt(
        freeSessions.filter((it) => it.unit === unit && isBefore({ at: it.startedAt })).length,
      ),
      revenue: sum(
        revenueBy.flatMap((units) => (units.get(unit) ?? []).filter(isBefore)),
        'micros',
      ),
    };
  });
  if (setup.statistics.winsorize !== null) capValues(values, setup.statistics.winsorize);
  return values;
}

/** An option is compared with everyone who answered, so answers of any option are measured beside it. */
function outcomesOf({ goals, guardrails }: TestSetup): Outcome[] {
  const outcomes = [...goals, ...guardrails].flatMap((outcome): Outcome[] =>
    typeof outcome === 'string' ? [outcome] : [{ feedbackType: outcome.feedbackType }, outcome],
  );
  return [...new Map(outcomes.map((outcome) => [outcomeIdOf(outcome), outcome])).values()];
}

function byUnit(
  { conversions, answers }: Recorded,
  outcome: Outcome,
  unitOf: ParticipantsOfPhase['unitOf'],
): Map<string, Reached[]> {
  const units = new Map<string, Reached[]>();
  const add = (sessionId: string | undefined, reached: Reached) => {
    if (sessionId === undefined) return;
    const unit = unitOf(sessionId);
    units.set(unit, [...(units.get(unit) ?? []), reached]);
  };
  if (typeof outcome === 'string') {
    for (const { goalId, sessionId, at, direction, micros } of conversions) {
      if (goalId === outcome) add(sessionId, { at, direction, micros: BigInt(direction * micros) });
    }
    return units;
  }
  for (const { feedbackType, option, sessionId, at } of answers) {
    if (feedbackType !== outcome.feedbackType) continue;
    if (outcome.option !== undefined && option !== outcome.option) continue;
    add(sessionId, { at, direction: 1, micros: 0n });
  }
  return units;
}

function goalValues(
  { goals, statistics }: Setup,
  id: string,
  all: readonly Reached[],
  { firstAt, outcomeEnds }: Participant,
  isBefore: (reached: Reached) => boolean,
): GoalValues {
  const reached = all.filter(({ at }) => at >= firstAt && at < outcomeEnds);
  const before = statistics.cuped ? all.filter(isBefore) : [];
  const values = { n: sum(reached, 'direction'), a: sum(reached, 'micros') };
  return {
    ...values,
    n0: sum(before, 'direction'),
    a0: sum(before, 'micros'),
    converted: isConverted(goals.find((goal) => goal.id === id)?.kind === 'revenue', values),
    reached,
  };
}

/** After a partial refund a visitor still counts as converted. */
export const isConverted = (isRevenue: boolean, { n, a }: { n: bigint; a: bigint }) =>
  (isRevenue && a !== 0n ? a : n) > 0n;

export const sum = <Name extends 'direction' | 'micros'>(
  list: readonly Pick<Reached, Name>[],
  name: Name,
): bigint => list.reduce((total, it) => total + BigInt(it[name] as number | bigint), 0n);

/** Sessions in which neither this test nor a related one was shown. */
function sessionsWithoutExposure(
  { tests }: Setup,
  recorded: Recorded,
  test: TestSetup,
  unitOf: ParticipantsOfPhase['unitOf'],
) {
  const related = tests.filter(({ hashSeed }) => hashSeed === test.hashSeed);
  const exposed = new Set(exposuresTo(recorded, related).map(({ sessionId }) => sessionId));
  return sessionsOf(recorded, unitOf).filter(({ sessionId }) => !exposed.has(sessionId));
}

/** The same cap for both tails and for the days before, from what people did, not crawlers. */
function capValues(values: readonly ParticipantValues[], quantile: number): void {
  const goalIds = new Set(values.flatMap(({ goals }) => [...goals.keys()]));
  for (const id of goalIds) {
    const all = values.filter(({ goals }) => goals.has(id));
    const people = all.filter(({ participant }) => !participant.bot);
    for (const [name, before] of [['n', 'n0'] as const, ['a', 'a0'] as const]) {
      const sizes = people.map(({ goals }) => absolute(goals.get(id)![name])).filter((size) => size > 0n);
      if (sizes.length === 0) continue;
      sizes.sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
      const cap = sizes[Math.ceil(quantile * sizes.length) - 1]!;
      for (const { goals } of all) {
        const own = goals.get(id)!;
        own[name] = clipped(own[name], cap);
        own[before] = clipped(own[before], cap);
      }
    }
  }
}

const absolute = (value: bigint) => (value < 0n ? -value : value);
const clipped = (value: bigint, cap: bigint) => (value > cap ? cap : value < -cap ? -cap : value);
