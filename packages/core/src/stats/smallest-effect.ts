import { type PlanInput, planTest } from './planner.ts';

const LARGEST = 10;
const STEPS = 40;
/** So small that the number of visitors is large, and rounding does not matter. */
const TINY = 1e-4;

type Settings = Omit<PlanInput, 'smallestEffect' | 'dailyVisitors'>;

/**
 * The smallest relative change that a test with this many visitors, in all variations, finds with the given power. Null
 * if there is none up to tenfold.
 */
export function smallestEffectWith(visitors: number, settings: Settings): number | null {
  // Looking often takes the same share of further visitors whatever the effect, and is slow to compute.
  const once: Settings =
    settings.method === 'group-sequential' ? { ...settings, method: 'frequentist' } : settings;
  const evaluated = once === settings ? visitors : visitors / (needed(TINY, settings) / needed(TINY, once));
  const { baseline } = settings;
  // A share cannot grow beyond 1, so the largest change that can be planned depends on it.
  const largest =
    baseline.metric === 'proportion' ? Math.min(LARGEST, (1 / baseline.rate - 1) * 0.999) : LARGEST;
  const isFound = (effect: number) => needed(effect, once) <= evaluated;
  if (!isFound(largest)) return null;
  let [low, high] = [0, largest];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** NaN if it cannot be planned. */
const needed = (value: number, settings: Settings) =>
  planTest({ ...settings, smallestEffect: { kind: 'relative', value } })?.visitors ?? Number.NaN;
