import type { Results } from './results-types.ts';

const ENGINES: Record<Results['method']['engine'], string> = {
  sequential: 'Sequential: the results may be checked as often as you like, and the test has no planned end.',
  'group-sequential':
    'Group-sequential: the results may be checked as often as you like, until the planned number of visitors.',
  frequentist: 'Frequentist: the results count once, at the planned number of visitors.',
  bayesian:
    'Bayesian: probabilities instead of error rates. They are as good as the prior: stopping as soon as one is high makes it too optimistic.',
};

export const describeEngine = ({ engine }: Results['method']): string => ENGINES[engine];

const CORRECTIONS: Record<string, string> = {
  holm: 'Holm',
  'benjamini-hochberg': 'Benjamini-Hochberg',
  none: 'none',
};

/** The settings behind the figures, as terms with their values. */
export function methodTerms(method: Results['method']): [term: string, value: string][] {
  const { engine, alpha, spending, sequentialN, correction, cuped, preDays, winsorize, prior, stratify } =
    method;
  const percent = (share: number) => `${Number((100 * share).toPrecision(4))} %`;
  return [
    ['Method', describeEngine(method)],
    ['Accepted error rate (alpha)', percent(alpha)],
    ...(engine === 'group-sequential'
      ? [
          ['Error spending', spending === 'pocock' ? 'evenly (Pocock)' : 'late (O’Brien-Fleming)'] as [
            string,
            string,
          ],
        ]
      : []),
    ...(engine === 'sequential'
      ? [['Tightest at', `${sequentialN.toLocaleString()} visitors`] as [string, string]]
      : []),
    ['Counted', method.unit === 'user' ? 'users; visitors who never sign in count as visitors' : 'visitors'],
    ['Correction for several variations', CORRECTIONS[correction] ?? correction],
    ['Variance reduction (CUPED)', cuped ? `with the ${preDays} days before the test` : 'off'],
    ['Amounts capped at', winsorize === null ? 'no cap' : `the quantile ${winsorize}`],
    ...(stratify.length > 0 ? [['Compared within', stratify.join(' and ')] as [string, string]] : []),
    ...(prior ? [['Prior', describePrior(prior)] as [string, string]] : []),
    ['Conversions count until', `${method.attributionDays} days after the end of the test`],
    ['Version of the computation', String(method.version)],
  ];
}

function describePrior({ mean, sd, tests }: NonNullable<Results['method']['prior']>): string {
  const percent = (share: number) => `${Number((100 * share).toPrecision(2))} %`;
  const source = tests === undefined ? '' : `, learnt from ${tests} finished tests`;
  return `mean ${percent(mean)}, standard deviation ${percent(sd)}${source}`;
}
