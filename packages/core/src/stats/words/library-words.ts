import type { LibraryRecord, LibraryTest } from '../../api/learning/library.ts';
import { percent, plural, quote, signedPercent } from './numbers.ts';

type Figures = NonNullable<LibraryTest['figures']>;
type Effect = Figures['effects'][number];

/** What a finished test found, in a sentence or two. */
export function describeFinished(figures: Figures, winner: string | null, problem: string | null): string {
  if (figures.visitors === 0) return 'Nobody has seen this test.';
  if (figures.goal === null) return 'The test had no primary goal.';
  if (!figures.healthy) return `The figures cannot be relied on. ${problem ?? ''}`.trim();
  const effect = mainEffect(figures.effects, winner);
  if (effect === undefined) return 'The test had no second variation.';
  const { variation, finding, expected } = effect;
  const change = describeRange(effect);
  const found =
    finding === 'inconclusive'
      ? `No difference is proven for ${quote(variation)}${change}.`
      : `${quote(variation)} did ${finding}${change}.`;
  return expected === null ? found : `${found} Expect ${signedPercent(expected.estimate)}.`;
}

/** That of the winner, else the one that was proven, else the largest. */
function mainEffect(effects: readonly Effect[], winner: string | null): Effect | undefined {
  const sizeOf = ({ relative, absolute }: Effect) => Math.abs((relative ?? absolute)?.estimate ?? 0);
  const isProven = ({ finding }: Effect) => (finding === 'inconclusive' ? 1 : 0);
  return (
    effects.find(({ variation }) => variation === winner) ??
    effects.toSorted((a, b) => isProven(a) - isProven(b) || sizeOf(b) - sizeOf(a))[0]
  );
}

function describeRange({ relative }: Effect): string {
  if (relative === null) return '';
  const { estimate, low, high } = relative;
  const range =
    low === null || high === null ? '' : `, between ${signedPercent(low)} and ${signedPercent(high)}`;
  return `: ${signedPercent(estimate)}${range}`;
}

/** How often ideas win, and how large effects are. */
export function describeRecord(record: Omit<LibraryRecord, 'words'>): string {
  const { finished, decided, shipped, better, worse, usualEffect, usualDays, pending } = record;
  if (finished === 0) return 'No test has finished yet.';
  const wins =
    decided === 0
      ? `None of ${plural(finished, 'finished test')} has a decision.`
      : `${shipped} of ${plural(decided, 'decided test')} shipped a change (${percent(shipped / decided)}).`;
  const proven = `${better} ${better === 1 ? 'was' : 'were'} proven better, ${worse} worse.`;
  const usual = [
    ...(usualEffect === null ? [] : [`an effect of ${percent(usualEffect)}, up or down`]),
    ...(usualDays === null || usualDays < 1 ? [] : [plural(Math.round(usualDays), 'day')]),
  ];
  const middle = usual.length === 0 ? '' : ` The usual test has ${usual.join(', and takes ')}.`;
  const open = pending === 0 ? '' : ` ${plural(pending, 'test')} could not be counted yet.`;
  return `${wins} ${proven}${middle}${open}`;
}

/** What shipped tests are estimated to have brought. */
export function describeShipped({
  name,
  tests,
  observed,
  expected,
}: Omit<LibraryRecord['shippedGoals'][number], 'words'>): string {
  const { estimate, low, high } = expected;
  const verb = tests === 1 ? 'is' : 'are';
  return `${plural(tests, 'shipped test')} ${verb} estimated to have changed ${name} by ${signedPercent(estimate)}, between ${signedPercent(low)} and ${signedPercent(high)}. Observed were ${signedPercent(observed)}; lucky results are shipped more often, so that is too much on average.`;
}
