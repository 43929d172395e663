import { MICROS } from '@switchyard/core/money';
import type { GoalSums } from '../../event-store.ts';

/** SQL for the values of an outcome: count and amount since the first exposure, and whether the visitor converted. */
interface OutcomeColumns {
  n: string;
  a: string;
  converted: string;
  /** Whether there are values from before the first exposure, `n0` and `a0`. */
  hasCovariate: boolean;
}

/** SQL for the sums of outcomes, in the order in which `goalSums` reads them; those of the covariate only if there is one. */
export function sumColumns({ n, a, converted, hasCovariate }: OutcomeColumns): string {
  const product = (left: string, right: string) => `sum(toInt256(${left}) * ${right})`;
  const sums = [
    ...[`countIf(${converted})`, `sum(${n})`, product(n, n), `sum(${a})`, product(a, a)],
    `sumIf(${a}, ${converted})`,
  ];
  const before = [
    ...['sum(n0)', product('n0', 'n0'), product(n, 'n0'), 'sum(a0)', product('a0', 'a0'), product(a, 'a0')],
    `sumIf(n0, ${converted})`,
  ];
  return [...sums, ...(hasCovariate ? before : [])].map((sum) => `toString(${sum})`).join(', ');
}

/** Amounts in dollars, from sums of micro-dollars. What is not given is zero. */
export function goalSums(goalId: string, sums: readonly string[] = []): GoalSums {
  const [converted = 0, n = 0, nn = 0, a = 0, aa = 0, convertedAmount = 0, ...before] = sums.map(Number);
  const [n0 = 0, n0n0 = 0, nn0 = 0, a0 = 0, a0a0 = 0, aa0 = 0, convertedCovariate = 0] = before;
  const square = MICROS ** 2;
  return {
    ...{ goalId, converted },
    conversions: {
      ...{ sum: n, sumSquares: nn },
      ...{ covariateSum: n0, covariateSumSquares: n0n0, covariateProduct: nn0 },
    },
    amount: {
      ...{ sum: a / MICROS, sumSquares: aa / square },
      ...{ covariateSum: a0 / MICROS, covariateSumSquares: a0a0 / square, covariateProduct: aa0 / square },
    },
    ...{ convertedAmount: convertedAmount / MICROS, convertedCovariate },
  };
}
