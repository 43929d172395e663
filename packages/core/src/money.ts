/** Micro-dollars per dollar; money is stored as an integer number of them. */
export const MICROS = 1_000_000;

/** Dollars from JSON as an integer number of micro-dollars. */
export function toMicros(dollars: number): number {
  return Math.round(dollars * MICROS);
}

/** Only for output: sums stay exact integers until then. */
export function toDollars(micros: bigint | number): number {
  return Number(micros) / MICROS;
}
