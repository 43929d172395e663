import type { OverlapReport } from '../../api/learning/overlap.ts';
import { count, list, percent, plural, quote, signedChange, signedPercent } from './numbers.ts';

type OverlapTest = OverlapReport['tests'][number];
type Facts = Pick<OverlapTest, 'name' | 'finding' | 'visitors' | 'share' | 'differences'>;

/** Names of further variations would only make the text longer. */
const MAX_NAMED = 4;

/** What was found about one of the other tests. */
export function describeOverlap({ name, finding, visitors, share, differences }: Facts): string {
  const other = quote(name);
  const both = `${plural(visitors, 'visitor')} ${visitors === 1 ? 'is' : 'are'} in both (${percent(share)})`;
  switch (finding) {
    case 'nobody':
      return `Nobody is in both this test and ${other}.`;
    case 'dependent':
      return `What visitors see here tells what they see in ${other}, which happens by chance practically never: the effects of the two tests cannot be told apart. Check that they do not have the same seed.`;
    case 'not-compared':
      return `${both}. Only the effect on a goal can be compared, and only with a second variation.`;
    case 'collecting':
      return `Not enough visitors to tell whether the effect depends on ${other}: ${both}.`;
    case 'none':
      return `No interaction found with ${other}: ${both}.`;
    case 'interaction':
      return `The effect differs between the variations of ${other}: look at them together. ${differences.map(describeDifference).join(' ')}`;
  }
}

function describeDifference({ variation, unit, effects }: OverlapTest['differences'][number]): string {
  const write = (value: number) =>
    unit === 'relative' ? signedPercent(value) : signedChange(value, 'number', '');
  const named = effects
    .slice(0, MAX_NAMED)
    .map(({ otherVariation, estimate }) => `${write(estimate)} with ${quote(otherVariation)}`);
  const more = effects.length - named.length;
  return `${quote(variation)} has ${list(more > 0 ? [...named, `${count(more)} more`] : named)}.`;
}

/** All other tests together. */
export function summarizeOverlap(tests: readonly OverlapTest[], leftOut: number): string {
  const having = (finding: OverlapTest['finding']) => tests.filter((it) => it.finding === finding);
  const [dependent, found] = [having('dependent'), having('interaction')];
  const sharing = tests.filter(({ visitors }) => visitors > 0).length;
  const rest = leftOut === 0 ? '' : ` ${plural(leftOut, 'more test')} could not be counted yet.`;
  if (sharing === 0) return `No other test shares visitors with this one.${rest}`;
  const shared = `${plural(sharing, 'other test')} ${sharing === 1 ? 'shares' : 'share'} visitors with this one`;
  const problems = [
    ...(dependent.length > 0
      ? [
          `What visitors see here and in ${named(dependent)} goes together, so the effects cannot be told apart.`,
        ]
      : []),
    ...(found.length > 0 ? [`The effect differs between the variations of ${named(found)}.`] : []),
  ];
  if (problems.length > 0) return `${problems.join(' ')} ${shared}.${rest}`;
  const isKnown = having('none').length > 0;
  const answer = isKnown
    ? 'No interaction found'
    : 'Too early to tell whether the tests influence each other';
  return `${answer}: ${shared}.${rest}`;
}

const named = (tests: readonly OverlapTest[]) => list(tests.map(({ name }) => quote(name)));
