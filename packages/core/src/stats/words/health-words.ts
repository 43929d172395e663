import type { HealthProblem } from '../report/health.ts';
import {
  count,
  DEFAULT_CURRENCY,
  list,
  percent,
  plural,
  quote,
  signedChange,
  signedPercent,
} from './numbers.ts';

/** Names the cause, its size, and what to check. */
export function describeProblem(problem: HealthProblem): string {
  switch (problem.problem) {
    case 'sample-ratio-mismatch':
      return `${describeSplit(problem)} Check whether one variation loads more slowly, crashes, redirects, or is blocked more often before its exposure is recorded.`;
    case 'mixed-visitors':
      return `${plural(problem.mixed, 'visitor')} (${percent(problem.share)}) saw more than one variation and ${problem.mixed === 1 ? 'is' : 'are'} not counted. Check that visitors keep their id between pages, and that all pages and servers use the same id.`;
    case 'novelty': {
      const write = (effect: number) =>
        problem.unit === 'relative'
          ? signedPercent(effect)
          : signedChange(effect, 'number', DEFAULT_CURRENCY);
      return `The effect of ${quote(problem.variation)} changes over time: ${write(problem.early)} for visitors of the first days, ${write(problem.late)} for later ones. Check whether something else changed on the site; otherwise it may just attract attention because it is new.`;
    }
    case 'missing-exposures':
      return `${describeSilence(problem)} Check that every page of the test still loads the SDK, and that its requests succeed.`;
    case 'missing-conversions':
      return `No visitor of ${quote(problem.variation)} has reached "${problem.goal}", although about ${count(problem.expected)} conversions are expected. Check that the variation works, and that its conversions are recorded.`;
  }
}

type ProblemOf<Name extends HealthProblem['problem']> = HealthProblem & { readonly problem: Name };

/** Only the variation that is furthest from its plan. */
function describeSplit({ visitors, pValue }: ProblemOf<'sample-ratio-mismatch'>): string {
  const total = visitors.reduce((sum, it) => sum + it.visitors, 0);
  const distance = (it: (typeof visitors)[number]) => Math.abs(it.visitors - it.expected);
  const worst = visitors.toSorted((a, b) => distance(b) - distance(a)).at(0)!;
  const chance = pValue < 1e-9 ? 'practically never' : `about once in ${count(round(1 / pValue))} tests`;
  const shares = `${percent(worst.visitors / total)} of all instead of ${percent(worst.expected / total)}`;
  return `The visitors are not split as planned: ${quote(worst.key)} has ${count(worst.visitors)} instead of about ${count(worst.expected)} (${shares}), which happens by chance ${chance}.`;
}

/** Two significant digits. */
const round = (number: number) => Number(number.toPrecision(2));

function describeSilence({ variations, days, oneSided = [] }: ProblemOf<'missing-exposures'>): string {
  const silent = variations.length > 0 ? [`No exposure of ${list(variations.map(quote))} arrived.`] : [];
  const gaps = days > 0 ? [`On ${plural(days, 'day')} of the test, no exposure arrived at all.`] : [];
  const partly = oneSided.map(
    (it) =>
      `On ${plural(it.days, 'day')} of the test, no exposure of ${quote(it.variation)} arrived, but others did.`,
  );
  return [...silent, ...gaps, ...partly].join(' ');
}
