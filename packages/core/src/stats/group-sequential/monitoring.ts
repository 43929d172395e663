import { normalSurvival, normalUpperQuantile } from '../distributions/normal.ts';
import { boundariesOf } from './boundaries.ts';
import type { Spending } from './spending.ts';

/** A test that is looked at continuously, until its planned number of visitors. */
export interface Monitoring {
  /** Share of the planned visitors, above 0; more than 1 counts as 1. */
  readonly fraction: number;
  readonly spending: Spending;
}

/** The share of alpha that is spent on disasters, which the planned boundary would find late. */
const EARLY_SHARE = 0.01;
/** Boundaries for disasters, each with an equal part of that share, are tightest at these fractions. */
const EARLY_FRACTIONS = [5e-6, 5e-5, 5e-4, 5e-3, 5e-2];
/** As many equal steps of the plan have a Pocock boundary of their own. */
const POCOCK_LOOKS = 50;
/** Between two looks, a continuously observed process exceeds a boundary as often as one that is this much higher in steps. */
const OVERSHOOT = 0.5826;

/**
 * The critical value at any time of the test: the error rate stays at alpha however often one looks. The lower one of
 * the spending function, for nearly all of alpha, and of a boundary for disasters, for the rest.
 */
export function monitoredCritical({ fraction, spending }: Monitoring, alpha: number): number {
  const time = Math.min(1, fraction);
  const planned =
    spending === 'pocock'
      ? pocockCritical(time, (1 - EARLY_SHARE) * alpha)
      : plannedCritical(time, (1 - EARLY_SHARE) * alpha);
  return Math.min(planned, earlyCritical(time, EARLY_SHARE * alpha));
}

/** The smallest alpha at which the statistic reaches the critical value. */
export function monitoredPValue({ fraction, spending }: Monitoring, z: number): number {
  const time = Math.min(1, fraction);
  const size = Math.abs(z);
  const planned =
    spending === 'pocock' ? pocockPValue(time, size) : 4 * normalSurvival(size * Math.sqrt(time));
  return Math.min(1, planned / (1 - EARLY_SHARE), earlyPValue(time, size) / EARLY_SHARE);
}

/**
 * O'Brien and Fleming: a Brownian motion crosses a constant exactly as often as their spending function says (Lan and
 * DeMets 1983), so the boundary and its p-value have closed forms.
 */
const plannedCritical = (time: number, alpha: number) => normalUpperQuantile(alpha / 4) / Math.sqrt(time);

/** Normal mixtures (Robbins 1970): valid at all times, without an end. */
function earlyCritical(time: number, alpha: number): number {
  const part = alpha / EARLY_FRACTIONS.length;
  return Math.min(
    ...EARLY_FRACTIONS.map((tightest) => {
      const information = earlyInformation(time, tightest);
      return Math.sqrt((1 + 1 / information) * (Math.log1p(information) - 2 * Math.log(part)));
    }),
  );
}

function earlyPValue(time: number, size: number): number {
  const parts = EARLY_FRACTIONS.map((tightest) => {
    const information = earlyInformation(time, tightest);
    return Math.exp(0.5 * (Math.log1p(information) - (size * size) / (1 + 1 / information)));
  });
  return EARLY_FRACTIONS.length * Math.min(...parts);
}

/** A mixture for the default alpha is tightest where its information is about 21. */
const earlyInformation = (time: number, tightest: number) => (21 * time) / tightest;

const POCOCK_FRACTIONS = Array.from({ length: POCOCK_LOOKS }, (_, index) => (index + 1) / POCOCK_LOOKS);

interface PocockLook {
  readonly look: number;
  /** How much the boundary of the look is raised because the process is observed all the time. */
  readonly raise: number;
  /** The first boundary is constant for the process itself, so it is higher for its earlier statistics. */
  readonly scale: number;
}

/** The look whose step contains this time. */
function pocockLook(time: number): PocockLook {
  const look = Math.max(0, Math.ceil(time * POCOCK_LOOKS - 1e-9) - 1);
  return {
    look,
    raise: OVERSHOOT / Math.sqrt(look + 1),
    scale: Math.sqrt(Math.max(1, 1 / (time * POCOCK_LOOKS))),
  };
}

function pocockCritical(time: number, alpha: number): number {
  const { look, raise, scale } = pocockLook(time);
  return scale * (boundariesOf(POCOCK_FRACTIONS, 'pocock').criticals(alpha)[look]! + raise);
}

function pocockPValue(time: number, size: number): number {
  const { look, raise, scale } = pocockLook(time);
  const excess = size / scale - raise;
  return excess <= 0 ? 1 : boundariesOf(POCOCK_FRACTIONS, 'pocock').pValue(excess, look);
}
