import type { LibraryRecord, LibraryTest } from '../../api/learning/library.ts';
import {
  type FinishedEffect,
  learnSpreads,
  type Spread,
  typicalSpread,
  usableTests,
} from '../report/learned-prior.ts';
import { describeRecord, describeShipped } from '../words/library-words.ts';
import type { PrimaryFindings } from './primary-findings.ts';
import { expectedTogether, observedTogether } from './shrinkage.ts';

/** A finished test of the record. */
export interface RecordedTest extends Pick<LibraryTest, 'outcome' | 'winner' | 'control' | 'days'> {
  /** Undefined until it is counted. */
  readonly findings: PrimaryFindings | undefined;
  /** It was about an audience, not about all visitors. */
  readonly isPartial: boolean;
}

/** What the finished tests of a property have in common. Tests with a health problem are in none of the figures. */
export function libraryRecord(tests: readonly RecordedTest[], finished: number): LibraryRecord {
  const spreads = spreadsOf(tests);
  const decided = tests.filter(({ outcome }) => outcome !== 'undecided');
  const shipped = decided.filter(isShipped);
  const counted = tests.flatMap(({ findings }) => findings ?? []);
  const reliable = counted.filter(({ healthy }) => healthy);
  const having = (finding: ReturnType<typeof findingOf>) =>
    reliable.filter((it) => findingOf(it) === finding).length;
  const usualEffects = reliable.flatMap(({ estimates }) =>
    estimates.map(({ estimate }) => Math.abs(estimate)),
  );
  const record: Omit<LibraryRecord, 'words'> = {
    finished,
    counted: counted.length,
    pending: tests.length - counted.length,
    decided: decided.length,
    shipped: shipped.length,
    better: having('better'),
    worse: having('worse'),
    inconclusive: having('inconclusive'),
    unreliable: counted.length - reliable.length,
    usualEffect: median(usualEffects),
    prior: { mean: 0, sd: typicalSpread(spreads), tests: usableTests(effectsOf(tests)).length },
    usualDays: median(tests.map(({ days }) => days)),
    usualVisitors: median(counted.map(({ visitors }) => visitors)),
    shippedGoals: shippedGoals(shipped, spreads),
    partial: shipped.filter(({ isPartial }) => isPartial).length,
  };
  return { ...record, words: describeRecord(record) };
}

/** What effects are shrunk with: how likely each spread of the true effects is, after these tests. */
export const spreadsOf = (tests: readonly Pick<RecordedTest, 'findings'>[]): readonly Spread[] =>
  learnSpreads(effectsOf(tests));

const effectsOf = (tests: readonly Pick<RecordedTest, 'findings'>[]) =>
  tests.flatMap(({ findings }) => (findings?.healthy ? [findings.estimates] : []));

/** A test ships something if its winner is not what visitors had before. */
const isShipped = ({ outcome, winner, control }: RecordedTest) =>
  outcome === 'ship' && winner !== null && winner !== control;

/** Of a test without a primary goal: null. */
function findingOf({ effects }: PrimaryFindings): 'better' | 'worse' | 'inconclusive' | null {
  if (effects.length === 0) return null;
  const found = new Set(effects.map(({ finding }) => finding));
  if (found.has('better')) return 'better';
  return found.has('worse') ? 'worse' : 'inconclusive';
}

function shippedGoals(
  shipped: readonly RecordedTest[],
  record: readonly Spread[],
): LibraryRecord['shippedGoals'] {
  const byGoal = new Map<string, { name: string; effects: FinishedEffect[] }>();
  for (const { findings, winner, isPartial } of shipped) {
    const effect = findings?.estimates.find(({ variation }) => variation === winner);
    if (isPartial || !findings?.healthy || !findings.goal || !effect) continue;
    const { goalId, name } = findings.goal;
    byGoal.set(goalId, { name, effects: [...(byGoal.get(goalId)?.effects ?? []), effect] });
  }
  return [...byGoal].map(([goalId, { name, effects }]) => {
    const observed = observedTogether(effects);
    const expected = expectedTogether(effects, record);
    const goal = { goalId, name, tests: effects.length, observed, expected };
    return { ...goal, words: describeShipped(goal) };
  });
}

/** Null without values. */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
