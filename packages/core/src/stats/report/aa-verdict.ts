import { sampleRatio } from '../sample-ratio.ts';
import { type AaCause, type AaFacts, aaWords } from '../words/aa-words.ts';
import { AA_METHOD } from './aa-method.ts';
import type { Report } from './report.ts';

export interface AaVerdict extends Pick<AaFacts, 'verdict' | 'visitors'> {
  readonly words: string;
  /** Null with too few visitors. */
  readonly splitPValue: number | null;
  /** Corrected over all goals; null with too few conversions. */
  readonly goals: readonly { readonly goalId: string; readonly pValue: number | null }[];
}

export interface AaVerdictInput extends Pick<AaFacts, 'mode' | 'share' | 'currency'> {
  readonly report: Pick<Report, 'variations' | 'goals' | 'problems'>;
}

/** Whether randomiser, tracking and statistics are sound, judged by two variations that must not differ. */
export function aaVerdict(input: AaVerdictInput): AaVerdict {
  const { variations, goals } = input.report;
  const visitors = variations.map((variation) => variation.visitors);
  const total = visitors.reduce((sum, count) => sum + count, 0);
  const enough = total >= AA_METHOD.minVisitors;
  const splitPValue = enough ? splitPValueOf(input.report) : null;
  const compared = goals.map((goal) => ({ goal, pValue: enough ? pValueOf(goal) : null }));
  const causes: AaCause[] = [
    ...(splitPValue !== null && splitPValue < AA_METHOD.splitAlpha
      ? [{ cause: 'split' as const, pValue: splitPValue }]
      : []),
    ...compared.flatMap(({ goal, pValue }) =>
      pValue !== null && pValue < AA_METHOD.goalAlpha ? [{ cause: 'goal' as const, goal, pValue }] : [],
    ),
    ...(enough ? trackingProblems(input) : []),
  ];
  const comparedGoals = compared.filter(({ pValue }) => pValue !== null).length;
  const isCollecting = !enough || (goals.length > 0 && comparedGoals === 0);
  const verdict = causes.length > 0 ? 'alarm' : isCollecting ? 'collecting' : 'sound';
  return {
    verdict,
    words: aaWords({ ...input, verdict, visitors, causes, comparedGoals, goals: goals.length }),
    visitors,
    splitPValue,
    goals: compared.map(({ goal, pValue }) => ({ goalId: goal.goal.id, pValue })),
  };
}

function splitPValueOf({ variations }: AaVerdictInput['report']): number | null {
  const ratio = sampleRatio(
    variations.map(({ visitors }) => visitors),
    variations.map(({ weight }) => weight),
  );
  return ratio === null ? null : ratio.pValue;
}

function pValueOf({ counts, metrics }: Report['goals'][number]): number | null {
  const converted = counts.reduce((sum, it) => sum + it.converted, 0);
  if (converted < AA_METHOD.minConverted) return null;
  // The report cannot compare a variation without any spread. By chance, half of the conversions would be there.
  if (counts.some((it) => it.converted === 0)) return 2 ** (1 - converted);
  return metrics.find(({ decides }) => decides)?.variations[1]?.adjustedPValue ?? null;
}

/** Only problems that chance does not cause. */
function trackingProblems({ mode, report }: AaVerdictInput): AaCause[] {
  if (mode === 'assignment') return [];
  return report.problems
    .filter(({ problem }) => problem === 'mixed-visitors' || problem === 'missing-exposures')
    .map(({ words }) => ({ cause: 'tracking', words }));
}
