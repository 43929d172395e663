import { sampleRatio } from '../sample-ratio.ts';
import type { Novelty } from './novelty.ts';

/** Below this p-value, a split does not match its weights, and a change over time is not due to chance. */
export const ALARM_P_VALUE = 0.001;
/** Min visitors for a check of the split. */
export const MIN_VISITORS = 100;
export const MAX_MIXED_SHARE = 0.01;
/** Expected per variation; with fewer, intervals and p-values are unreliable. */
export const MIN_CONVERSIONS = 25;
/** A day without exposures is a gap if the median day has this many: by chance it happens once in 10^8 days. */
const MIN_MEDIAN_DAY = 20;

export type HealthProblem =
  | {
      readonly problem: 'sample-ratio-mismatch';
      readonly pValue: number;
      readonly visitors: readonly {
        readonly key: string;
        readonly visitors: number;
        readonly expected: number;
      }[];
    }
  | { readonly problem: 'mixed-visitors'; readonly mixed: number; readonly share: number }
  | {
      readonly problem: 'missing-conversions';
      readonly variation: string;
      readonly goal: string;
      /** If all variations converted alike. */
      readonly expected: number;
    }
  | ({ readonly problem: 'novelty'; readonly variation: string } & Novelty)
  | {
      readonly problem: 'missing-exposures';
      readonly variations: readonly string[];
      /** On which nobody was exposed. */
      readonly days: number;
      /** Days on which only others were exposed; missing if there are none. */
      readonly oneSided?: readonly { readonly variation: string; readonly days: number }[];
    };

export interface HealthInput {
  /** Name of the primary goal, if it can be a problem that nobody reaches it. */
  readonly goal?: string | undefined;
  /** Conversions that a variation needs for a first evaluation; default: 25. */
  readonly minConversions?: number | undefined;
  /** Visitors of exactly one variation; `conversions` are visitors who converted on the primary goal, if there is one. */
  readonly variations: readonly {
    readonly key: string;
    readonly visitors: number;
    /** Visitors who saw this variation first, even if they saw others later; default: `visitors`. */
    readonly firstVisitors?: number | undefined;
    readonly weight: number;
    readonly conversions?: number | undefined;
    /** Missing for the control and until there are late visitors. */
    readonly novelty?: Novelty | null | undefined;
  }[];
  /** Visitors seen in more than one variation; excluded from the counts above. */
  readonly mixedVisitors: number;
  /** New visitors of each full day of the test, oldest first. */
  readonly dailyVisitors?: readonly number[] | undefined;
}

/** All problems that prevent a verdict, the worst first; empty for a healthy test. */
export function checkHealth(input: HealthInput): HealthProblem[] {
  return [
    ...sampleRatioProblem(input),
    ...missingExposures(input),
    ...mixedVisitors(input),
    ...input.variations.flatMap(({ key, novelty }) =>
      novelty && novelty.pValue < ALARM_P_VALUE
        ? [{ problem: 'novelty' as const, variation: key, ...novelty }]
        : [],
    ),
    ...missingConversions(input),
  ];
}

const totalOf = ({ variations }: HealthInput) => variations.reduce((sum, { visitors }) => sum + visitors, 0);

/** By what visitors saw first: visitors on several devices leave small variations more often than large ones. */
function sampleRatioProblem({ variations }: HealthInput): HealthProblem[] {
  const first = variations.map(({ visitors, firstVisitors = visitors }) => firstVisitors);
  const weights = variations.map(({ weight }) => weight);
  const total = first.reduce((sum, visitors) => sum + visitors, 0);
  if (total < MIN_VISITORS) return [];
  const ratio = sampleRatio(first, weights);
  if (ratio === null || ratio.pValue >= ALARM_P_VALUE) return [];
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0);
  const visitors = variations.map(({ key, weight }, index) => ({
    key,
    visitors: first[index]!,
    expected: (total * weight) / allWeights,
  }));
  return [{ problem: 'sample-ratio-mismatch', pValue: ratio.pValue, visitors }];
}

function missingExposures(input: HealthInput): HealthProblem[] {
  const silent =
    totalOf(input) < MIN_VISITORS
      ? []
      : input.variations.filter(({ visitors, weight }) => weight > 0 && visitors === 0).map(({ key }) => key);
  const days = input.dailyVisitors ?? [];
  const median = days.toSorted((a, b) => a - b)[Math.floor(days.length / 2)] ?? 0;
  const gaps = median < MIN_MEDIAN_DAY ? 0 : days.filter((visitors) => visitors === 0).length;
  return silent.length + gaps === 0 ? [] : [{ problem: 'missing-exposures', variations: silent, days: gaps }];
}

function mixedVisitors(input: HealthInput): HealthProblem[] {
  const { mixedVisitors: mixed } = input;
  const all = totalOf(input) + mixed;
  const share = all === 0 ? 0 : mixed / all;
  return share > MAX_MIXED_SHARE ? [{ problem: 'mixed-visitors', mixed, share }] : [];
}

/** A variation without conversions is broken, or its conversions are not recorded. */
function missingConversions({ variations, goal }: HealthInput): HealthProblem[] {
  if (goal === undefined) return [];
  const all = conversionsOf(variations);
  const visitors = variations.reduce((sum, it) => sum + it.visitors, 0);
  return variations.flatMap(({ key, conversions, visitors: own }) => {
    const expected = visitors === 0 ? 0 : (all * own) / visitors;
    if (conversions !== 0 || expected < MIN_CONVERSIONS) return [];
    return [{ problem: 'missing-conversions' as const, variation: key, goal, expected }];
  });
}

const conversionsOf = (variations: HealthInput['variations']) =>
  variations.reduce((sum, { conversions = 0 }) => sum + conversions, 0);

interface Group {
  readonly visitors: number;
  readonly converted: number;
}

/**
 * Whether two groups may be compared without anybody looking: with a handful of conversions, intervals are less reliable
 * than they say. A small group with many conversions is enough, however few are expected.
 */
export function hasEnoughConversions(control: Group, variation: Group): boolean {
  const all = control.visitors + variation.visitors;
  const smaller = Math.min(control.visitors, variation.visitors);
  const expected = all === 0 ? 0 : ((control.converted + variation.converted) * smaller) / all;
  const isSmaller = variation.visitors === smaller;
  return expected >= MIN_CONVERSIONS || (isSmaller && variation.converted >= MIN_CONVERSIONS);
}

/** The progress of a test that has too few conversions for an evaluation. */
export interface Collecting {
  /** Conversions of the primary goal, in all variations. */
  readonly conversions: number;
  /** With this many, the smallest variation has enough if all convert alike. */
  readonly required: number;
}

/** Null if there are enough conversions. */
export function collectingOf({
  variations,
  minConversions = MIN_CONVERSIONS,
}: HealthInput): Collecting | null {
  const weights = variations.map(({ weight }) => weight).filter((weight) => weight > 0);
  const smallest = Math.min(...weights) / weights.reduce((sum, weight) => sum + weight, 0);
  const required = Math.ceil(minConversions / smallest);
  const conversions = conversionsOf(variations);
  return conversions >= required ? null : { conversions, required };
}
