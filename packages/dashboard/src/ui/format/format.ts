// Numbers, money and times for people. One set of formatters: creating one takes longer than using it.

import { displayZone } from './display-zone.ts';
import { usableLocale } from './usable-locale.ts';

const locale = typeof navigator === 'undefined' ? 'en' : usableLocale(navigator.language);
const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const currencies = new Map<string, Intl.NumberFormat>();

export const formatCount = (value: number): string => integer.format(value);
/** Short: 12.3K */
export const formatCompact = (value: number): string =>
  Math.abs(value) < 10_000 ? integer.format(value) : compact.format(value);
/** With the same space as in the sentences of the server, on the same line. */
const percent = (format: Intl.NumberFormat, share: number) => `${format.format(share * 100)}\u00a0%`;
/** A share between 0 and 1. */
export const formatPercent = (share: number): string =>
  percent(Math.abs(share) < 0.1 && share !== 0 ? twoDigits : oneDigit, share);
/** A relative change with its sign: +5.2 % */
export const formatChange = (share: number): string => percent(signed, share);

const TIMES = {
  time: { timeStyle: 'short' },
  clock: { timeStyle: 'medium' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  day: { day: 'numeric', month: 'short' },
  dateTime: { dateStyle: 'medium', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
const times = new Map<string, Intl.DateTimeFormat>();

function formatAt(kind: keyof typeof TIMES, at: number): string {
  const { name: timeZone } = displayZone();
  const key = `${kind} ${timeZone}`;
  const format = times.get(key) ?? new Intl.DateTimeFormat(locale, { ...TIMES[kind], timeZone });
  times.set(key, format);
  return format.format(at);
}

export const formatTime = (at: number): string => formatAt('time', at);
/** With seconds. */
export const formatClock = (at: number): string => formatAt('clock', at);
export const formatDate = (at: number): string => formatAt('date', at);
/** Without the year. */
export const formatDay = (at: number): string => formatAt('day', at);
export const formatDateTime = (at: number): string => formatAt('dateTime', at);

export function formatMoney(value: number, currency: string): string {
  let format = currencies.get(currency);
  if (format === undefined) {
    format = moneyFormat(currency);
    currencies.set(currency, format);
  }
  return format.format(value);
}

function moneyFormat(currency: string): Intl.NumberFormat {
  const options = { style: 'currency', maximumFractionDigits: 2 } as const;
  try {
    return new Intl.NumberFormat(locale, { ...options, currency });
  } catch {
    // Three letters that no currency has.
    return twoDigits;
  }
}

/** 45 s, 3 min 20 s, 2 h 5 min */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const UNITS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** "3 hours ago", "in 2 days", "now" */
export function formatRelative(at: number, now = Date.now()): string {
  for (const [unit, ms] of UNITS) {
    if (Math.abs(at - now) >= ms) return relative.format(Math.round((at - now) / ms), unit);
  }
  return relative.format(0, 'second');
}

/** "1 visitor", "2 visitors" */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
