/** Of a dollar; money is stored as whole numbers of them. */
export const MICROS = 1_000_000;

/** Dollars as they come in JSON, as an exact integer of millionths. */
export function toMicros(dollars: number): number {
  return Math.round(dollars * MICROS);
}

/** Sums stay exact integers until this last step. */
export function toDollars(micros: bigint | number): number {
  return Number(micros) / MICROS;
}
