/** What a metric measures, which decides how its values are written. Dollars may be shown as another currency. */
export type Unit = 'rate' | 'dollars' | 'seconds' | 'number';

export const DEFAULT_CURRENCY = 'USD';

/** Fixed, because the symbols that `Intl` uses depend on its version, and texts must be reproducible. */
const SYMBOLS: Readonly<Record<string, string>> = {
  USD: '$',
  EUR: '€',
  GBP: '£',
  JPY: '¥',
  INR: '₹',
  KRW: '₩',
  ILS: '₪',
  VND: '₫',
  AUD: 'A$',
  BRL: 'R$',
  CAD: 'CA$',
  CNY: 'CN¥',
  MXN: 'MX$',
  NZD: 'NZ$',
};

export const count = (number: number) => Math.round(number).toLocaleString('en-US');

export const plural = (number: number, noun: string, many = `${noun}s`) =>
  `${count(number)} ${number === 1 ? noun : many}`;

/** Two significant digits, or a whole number from 10 on. */
export function percent(share: number): string {
  const size = 100 * Math.abs(share);
  return `${size >= 10 ? count(size) : trim(size, 2)} %`;
}

export const signedPercent = (share: number) => `${sign(share)}${percent(share)}`;

/** The values of the control and a variation, with enough digits to see the difference. */
export function values(control: number, variation: number, unit: Unit, currency: string): [string, string] {
  const scale = unit === 'rate' ? 100 : 1;
  const [a, b] = [scale * control, scale * variation];
  const least = Math.max(unit === 'dollars' ? 2 : 0, decimalsOf(Math.max(Math.abs(a), Math.abs(b)), 2));
  const decimals = Math.max(least, Math.min(2, decimalsOf(Math.abs(b - a), 2)));
  const write = (value: number) => {
    const text = Math.abs(value).toLocaleString('en-US', {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    return `${value < 0 ? '-' : ''}${withUnit(text, unit, currency)}`;
  };
  return [write(a), write(b)];
}

/** A change in the unit of the metric, such as "+0.4 points" or "-$1.20". */
export function signedChange(change: number, unit: Unit, currency: string): string {
  const size = Math.abs(unit === 'rate' ? 100 * change : change);
  const text = size >= 100 ? count(size) : unit === 'dollars' ? size.toFixed(2) : trim(size, 2);
  if (unit === 'rate') return `${sign(change)}${text} points`;
  return `${sign(change)}${withUnit(text, unit, currency)}`;
}

/** A number of days, in weeks from two weeks on. */
export const duration = (days: number) =>
  days > 13 ? plural(Math.floor(days / 7), 'week') : plural(days, 'day');

/** Such as "2 to 4 more weeks", or "3 weeks or longer" without an end. */
export function durationRange(low: number, high: number | null): string {
  if (high === null) return `${duration(low)} or longer`;
  const inWeeks = high > 13;
  const [from, to] = inWeeks ? [Math.floor(low / 7), Math.ceil(high / 7)] : [low, high];
  const most = plural(to, inWeeks ? 'more week' : 'more day');
  if (from === to) return most;
  return from === 0 ? `up to ${most}` : `${count(from)} to ${most}`;
}

export const quote = (key: string) => `"${key}"`;

/** Such as "a, b and c". */
export function list(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

const sign = (number: number) => (number < 0 ? '-' : '+');

function withUnit(text: string, unit: Unit, currency: string): string {
  if (unit === 'rate') return `${text} %`;
  if (unit === 'seconds') return `${text} s`;
  return unit === 'dollars' ? `${SYMBOLS[currency] ?? `${currency} `}${text}` : text;
}

/** Tiny numbers are written as 0, never with an exponent. */
const trim = (number: number, digits: number) =>
  number < 1e-6 ? '0' : String(Number(number.toPrecision(digits)));

/** Decimals needed for this many significant digits, at most 6. */
function decimalsOf(size: number, digits: number): number {
  if (!(size > 0)) return 0;
  return Math.min(6, Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
}
