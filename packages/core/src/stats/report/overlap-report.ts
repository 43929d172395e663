import type { OverlapReport } from '../../api/learning/overlap.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { sampleRatio } from '../sample-ratio.ts';
import { describeOverlap, summarizeOverlap } from '../words/overlap-words.ts';
import { compareGoals, comparisonSettings, type GoalComparison } from './goal-comparison.ts';
import { ALARM_P_VALUE, MIN_VISITORS } from './health.ts';
import { type Interaction, interactionsOf } from './interaction.ts';
import { variationCounts } from './report-counts.ts';
import type { ReportInput } from './report-input.ts';

type OverlapTest = OverlapReport['tests'][number];
export type OverlapFinding = OverlapTest['finding'];

/** Another test that ran at the same time, and the visitors of this one by what they saw in it. */
export interface OverlapInput {
  readonly test: Pick<
    OverlapTest,
    'splitTestKey' | 'measuredRule' | 'name' | 'status' | 'phase' | 'from' | 'to'
  >;
  readonly variations: readonly string[];
  /** Those of them that are retired: nobody has entered them since, so they say nothing about the draws. */
  readonly retired: readonly string[];
  /** The visitors of this test; `segment` is the variation of the other one, null for those who are not in both. */
  readonly input: ReportInput;
}

/** What was counted about one of the other tests. */
interface ComparedTest extends OverlapInput {
  readonly cells: OverlapTest['cells'];
  readonly visitors: number;
  readonly all: number;
  readonly isDependent: boolean;
  readonly interactions: readonly Interaction[];
}

/** Whether the effect of a test differs between the variations of others that share visitors with it. */
export function overlappingTests(others: readonly OverlapInput[], alpha: number): OverlapTest[] {
  const compared = others.map(comparedTest);
  // One family: every variation of this test with every other test.
  const pValues = adjustPValues(
    compared.flatMap(({ interactions }) => interactions.map(({ pValue }) => pValue)),
    'holm',
  );
  let next = 0;
  return compared
    .map((it) => {
      const interactions = it.interactions.map((one) => ({ ...one, pValue: pValues[next++]! }));
      return overlapTest({ ...it, interactions }, alpha);
    })
    .toSorted((a, b) => b.visitors - a.visitors || (a.splitTestKey < b.splitTestKey ? -1 : 1));
}

export const overlapSummary = (tests: readonly OverlapTest[], leftOut: number) =>
  summarizeOverlap(tests, leftOut);

function comparedTest(other: OverlapInput): ComparedTest {
  const { input, variations, retired } = other;
  const active = new Set(input.variations.flatMap((it) => (it.retired ? [] : [it.key])));
  const isIn = (key: string) => (group: ReportInput['groups'][number]) => group.segment === key;
  const plain = {
    ...input,
    groups: input.groups.map((group) => ({ ...group, segment: null, other: false })),
  };
  const all = variationCounts(plain);
  const settings = comparisonSettings(plain, all, false);
  const comparisons: (GoalComparison | undefined)[] = [];
  const cells = variations.flatMap((key) => {
    const groups = input.groups.filter(isIn(key)).map((group) => ({ ...group, segment: null, other: false }));
    const counts = variationCounts({ ...input, groups });
    const primary = compareGoals(settings, counts, 'deciding').find(({ goal }) => goal.role === 'primary');
    comparisons.push(retired.includes(key) ? undefined : primary);
    const results = primary?.metrics.find(({ decides }) => decides)?.variations;
    return counts.map(({ key: variation, visitors }, index) => ({
      variation,
      otherVariation: key,
      visitors,
      mean: results?.[index]?.mean ?? null,
    }));
  });
  const table = cells.map(({ visitors }) => visitors);
  return {
    ...other,
    cells,
    visitors: table.reduce((sum, visitors) => sum + visitors, 0),
    all: all.reduce((sum, { visitors }) => sum + visitors, 0),
    isDependent: isDependent(
      cells.filter((it) => active.has(it.variation) && !retired.includes(it.otherVariation)),
    ),
    interactions: interactionsOf(comparisons).filter(({ variation }) => active.has(variation)),
  };
}

/** Whether what visitors see in one test tells what they see in the other: then their effects cannot be told apart. */
function isDependent(cells: OverlapTest['cells']): boolean {
  const total = sumOf(cells);
  if (total < MIN_VISITORS) return false;
  const expected = cells.map(
    ({ variation, otherVariation }) =>
      sumOf(cells.filter((it) => it.variation === variation)) *
      sumOf(cells.filter((it) => it.otherVariation === otherVariation)),
  );
  const ratio = sampleRatio(
    cells.map(({ visitors }) => visitors),
    expected,
  );
  return ratio !== null && ratio.pValue < ALARM_P_VALUE;
}

const sumOf = (cells: OverlapTest['cells']) => cells.reduce((sum, { visitors }) => sum + visitors, 0);

function overlapTest(compared: ComparedTest, alpha: number): OverlapTest {
  const { test, cells, visitors, all, interactions, variations, input } = compared;
  const found = interactions.filter(({ pValue }) => pValue < alpha).toSorted((a, b) => a.pValue - b.pValue);
  const finding = findingOf(compared, found.length > 0);
  const differences = (finding === 'interaction' ? found : []).map(
    ({ variation, unit, effects, pValue }) => ({
      variation,
      unit,
      pValue,
      effects: effects.map(({ position, estimate }) => ({ otherVariation: variations[position]!, estimate })),
    }),
  );
  return {
    ...test,
    visitors,
    share: all === 0 ? 0 : visitors / all,
    finding,
    pValue: interactions.length === 0 ? null : Math.min(...interactions.map(({ pValue }) => pValue)),
    words: describeOverlap({
      name: test.name,
      finding,
      visitors,
      share: all === 0 ? 0 : visitors / all,
      differences,
    }),
    differences,
    cells: !isComparable(input) ? cells.map((cell) => ({ ...cell, mean: null })) : cells,
  };
}

/** What was counted of metrics cannot be divided by what was seen in another test. */
const isComparable = ({ goals }: ReportInput) => goals.some(({ kind }) => kind !== 'metric');

function findingOf(
  { visitors, isDependent, interactions, input }: ComparedTest,
  isFound: boolean,
): OverlapFinding {
  if (visitors === 0) return 'nobody';
  if (isDependent) return 'dependent';
  if (!isComparable(input) || input.variations.length < 2) return 'not-compared';
  if (interactions.length === 0) return 'collecting';
  return isFound ? 'interaction' : 'none';
}
