import type { GoalValues, ParticipantValues } from './outcomes.ts';

const MICROS = 1e6;

/** A value per participant with its power of a million. */
interface Column {
  values: bigint[];
  scale: number;
}

/** Σ x·y, exact until the end. */
function product(left: Column, right: Column): number {
  const total = left.values.reduce((sum, value, index) => sum + value * right.values[index]!, 0n);
  return Number(total) / (left.scale * right.scale);
}

const total = ({ values, scale }: Column) => Number(values.reduce((sum, value) => sum + value, 0n)) / scale;

/** What the participants did before the test, and its products. */
export function sumsBefore(participants: readonly ParticipantValues[]) {
  const { known, sessions, revenue } = columnsBefore(participants);
  return {
    known: total(known),
    sessions: total(sessions),
    sessionsSquares: product(sessions, sessions),
    revenue: total(revenue),
    revenueSquares: product(revenue, revenue),
    knownRevenue: product(known, revenue),
    product: product(sessions, revenue),
  };
}

function columnsBefore(participants: readonly ParticipantValues[]) {
  return {
    known: { values: participants.map(({ sessions }) => (sessions > 0n ? 1n : 0n)), scale: 1 },
    sessions: { values: participants.map(({ sessions }) => sessions), scale: 1 },
    revenue: { values: participants.map(({ revenue }) => revenue), scale: MICROS },
  };
}

/** All sums of a goal over some participants. */
export function goalSums(participants: readonly ParticipantValues[], goalId: string, hasBefore: boolean) {
  const own = participants.map(({ goals }) => goals.get(goalId)!);
  const column = (name: 'n' | 'a' | 'n0' | 'a0', scale: number): Column => ({
    values: own.map((values: GoalValues) => values[name]),
    scale,
  });
  const before = columnsBefore(participants);
  const valueSums = (value: Column, covariate: Column) => ({
    sum: total(value),
    sumSquares: product(value, value),
    covariateSum: total(covariate),
    covariateSumSquares: product(covariate, covariate),
    covariateProduct: product(value, covariate),
    ...(hasBefore && {
      knownSum: product(value, before.known),
      sessionsProduct: product(value, before.sessions),
      revenueProduct: product(value, before.revenue),
      covariateKnown: product(covariate, before.known),
      covariateSessions: product(covariate, before.sessions),
      covariateRevenue: product(covariate, before.revenue),
    }),
  });
  const converted: Column = { values: own.map((values) => (values.converted ? 1n : 0n)), scale: 1 };
  const [n, a, n0, a0] = [column('n', 1), column('a', MICROS), column('n0', 1), column('a0', MICROS)];
  return {
    converted: total(converted),
    conversions: valueSums(n, n0),
    amount: valueSums(a, a0),
    convertedAmount: product(converted, a),
    convertedCovariate: product(converted, n0),
    ...(hasBefore && {
      convertedKnown: product(converted, before.known),
      convertedSessions: product(converted, before.sessions),
      convertedRevenue: product(converted, before.revenue),
    }),
  };
}
