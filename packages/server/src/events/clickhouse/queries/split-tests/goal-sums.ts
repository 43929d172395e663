import { MICROS } from '@switchyard/core/money';
import type { GoalSums, ValueSums, VisitorsBefore } from '../../../store/split-test-queries.ts';

/** SQL for the values of an outcome, see `visitorOutcomes`. */
export interface OutcomeColumns {
  n: string;
  a: string;
  converted: string;
  /** The values before the first exposure, if there are any. */
  covariate?: { n0: string; a0: string } | undefined;
}

const product = (left: string, right: string) => `sum(toInt256(${left}) * ${right})`;
const texts = (sums: readonly string[]) => sums.map((sum) => `toString(${sum})`).join(', ');

/** SQL for the sums of outcomes, in the order in which `goalSums` reads them; those of the covariate only if there is one. */
export function sumColumns({ n, a, converted, covariate }: OutcomeColumns): string {
  const values = [
    ...[`countIf(${converted})`, `sumIf(${a}, ${converted})`],
    ...[`sum(${n})`, product(n, n), `sum(${a})`, product(a, a)],
  ];
  if (!covariate) return texts(values);
  const { n0, a0 } = covariate;
  return texts([
    ...values,
    ...[`sumIf(${n0}, ${converted})`, `countIf(${converted} AND s0 > 0)`],
    ...[`sumIf(s0, ${converted})`, `sumIf(r0, ${converted})`],
    ...covariateColumns(n, n0),
    ...covariateColumns(a, a0),
  ]);
}

const covariateColumns = (value: string, covariate: string) => [
  ...[`sum(${covariate})`, product(covariate, covariate), product(value, covariate)],
  ...[`sumIf(${value}, s0 > 0)`, product(value, 's0'), product(value, 'r0')],
  ...[`sumIf(${covariate}, s0 > 0)`, product(covariate, 's0'), product(covariate, 'r0')],
];

/** Amounts in dollars, from sums of micro-dollars. What is not given is zero. */
export function goalSums(goalId: string, sums: readonly string[] = []): GoalSums {
  const [converted = 0, convertedAmount = 0, n = 0, nn = 0, a = 0, aa = 0, ...before] = sums.map(Number);
  const [convertedCovariate = 0, convertedKnown = 0, convertedSessions = 0, convertedRevenue = 0] = before;
  return {
    goalId,
    converted,
    conversions: valueSums(1, [n, nn, ...before.slice(4, 13)]),
    amount: valueSums(MICROS, [a, aa, ...before.slice(13)]),
    convertedAmount: convertedAmount / MICROS,
    convertedCovariate,
    convertedKnown,
    convertedSessions,
    convertedRevenue: convertedRevenue / MICROS,
  };
}

/** @param unit what the values are divided by */
function valueSums(unit: number, [sum = 0, sumSquares = 0, ...before]: readonly number[]): ValueSums {
  const [covariateSum = 0, covariateSumSquares = 0, covariateProduct = 0, ...more] = before;
  const [knownSum = 0, sessionsProduct = 0, revenueProduct = 0] = more;
  const [covariateKnown = 0, covariateSessions = 0, covariateRevenue = 0] = more.slice(3);
  return {
    sum: sum / unit,
    sumSquares: sumSquares / unit ** 2,
    covariateSum: covariateSum / unit,
    covariateSumSquares: covariateSumSquares / unit ** 2,
    covariateProduct: covariateProduct / unit ** 2,
    knownSum: knownSum / unit,
    sessionsProduct: sessionsProduct / unit,
    revenueProduct: revenueProduct / unit / MICROS,
    covariateKnown: covariateKnown / unit,
    covariateSessions: covariateSessions / unit,
    covariateRevenue: covariateRevenue / unit / MICROS,
  };
}

/** SQL for the sums of what visitors did before, in the order in which `visitorsBefore` reads them. */
export const BEFORE_COLUMNS = texts([
  ...['countIf(s0 > 0)', 'sum(s0)', product('s0', 's0')],
  ...['sum(r0)', product('r0', 'r0'), 'sumIf(r0, s0 > 0)', product('s0', 'r0')],
]);

export const BEFORE_LENGTH = 7;

export function visitorsBefore(sums: readonly string[]): VisitorsBefore {
  const [known = 0, sessions = 0, sessionsSquares = 0, ...money] = sums.map(Number);
  const [revenue = 0, revenueSquares = 0, knownRevenue = 0, micros = 0] = money;
  return {
    known,
    sessions,
    sessionsSquares,
    revenue: revenue / MICROS,
    revenueSquares: revenueSquares / MICROS ** 2,
    knownRevenue: knownRevenue / MICROS,
    product: micros / MICROS,
  };
}
