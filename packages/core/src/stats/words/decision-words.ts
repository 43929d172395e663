import { excludesZero } from '../comparison.ts';
import type { VerdictContext, VerdictFacts } from '../report/verdict-facts.ts';
import { describeBlocking } from './guardrail-words.ts';
import { describeProblem } from './health-words.ts';
import { count, percent, plural, quote, signedChange } from './numbers.ts';
import { firstWindowsAre } from './window-words.ts';

/** The first sentence of a verdict: the decision and its reason. */
export function describeDecision(facts: VerdictFacts, context: VerdictContext): string {
  const variation = quote(facts.variation);
  switch (facts.decision) {
    case 'ship':
      return `Ship ${variation}: it is better than the control${describeProbability(facts)}.`;
    case 'roll-back':
      return facts.reason === 'guardrail'
        ? `Roll back ${variation}: it harms ${countHarmed(facts) === 1 ? 'a guardrail' : 'guardrails'}.`
        : `Roll back ${variation}: it is worse than the control${describeProbability(facts)}.`;
    case 'no-difference':
      return describeNoDifference(facts, context);
    case 'keep-going':
      return describeWaiting(facts, context);
    case 'collecting':
      return describeCollecting(facts, context);
    case 'unhealthy':
      return `No decision on ${variation}: the data is not reliable. ${facts.problems.map(describeProblem).join(' ')}`;
  }
}

const countHarmed = ({ guardrails }: VerdictFacts) =>
  guardrails.filter(({ state }) => state === 'harmed').length;

function describeProbability({ primary }: VerdictFacts): string {
  const { chanceToBeat } = primary.comparison;
  if (chanceToBeat === null) return '';
  const probability = Math.max(chanceToBeat, 1 - chanceToBeat);
  const size = probability > 0.999 ? 'more than 99.9 %' : `${(100 * probability).toFixed(1)} %`;
  return `, with a probability of ${size}`;
}

function describeNoDifference(
  { reason, variation, smallestEffect, primary }: VerdictFacts,
  { currency }: VerdictContext,
): string {
  const size =
    smallestEffect === null
      ? null
      : smallestEffect.kind === 'relative'
        ? percent(smallestEffect.value)
        : signedChange(Math.abs(smallestEffect.value), primary.unit, currency).slice(1);
  const pair = `between ${quote(variation)} and the control`;
  switch (reason) {
    case 'within-smallest-effect':
      return `No difference that matters ${pair}: a change of ${size} or more is ruled out.`;
    case 'futility':
      return `A clear result for ${quote(variation)} is out of reach: ${size === null ? 'even if it had the effect that the test was planned for' : `even if it changed ${primary.name} by ${size}`}, the chance to find it by the planned end is below 10 %.`;
    default:
      return `No difference found ${pair}: the planned number of visitors is reached${size === null ? '' : `, and a change of ${size} or more would probably have been found`}.`;
  }
}

function describeWaiting(facts: VerdictFacts, { isOver }: VerdictContext): string {
  const variation = quote(facts.variation);
  if (facts.reason === 'open-guardrail') {
    const missing = `there is not enough data on ${describeBlocking(facts)}`;
    return isOver
      ? `The test ended without a decision on ${variation}: it is better than the control, but ${missing}.`
      : `Keep ${variation} going: it is better than the control, but ${missing} yet.`;
  }
  if (isOver) return `The test ended without a clear result for ${variation}.`;
  if (facts.reason === 'before-planned-end') {
    return `Keep ${variation} going: the result is evaluated once, at ${count(facts.plannedVisitors!)} visitors.`;
  }
  const { pValue } = facts.primary.comparison;
  const corrected = facts.primary.adjustedPValue ?? pValue;
  // Only the correction can make a difference that excludes zero insignificant.
  const isCorrected = pValue !== null && corrected !== null && pValue < corrected;
  const isClearAlone = isCorrected && excludesZero(facts.primary.comparison.absolute);
  return isClearAlone
    ? `Keep ${variation} going: the difference could still be chance, because the test compares several variations.`
    : `Keep ${variation} going: the difference could still be chance.`;
}

function describeCollecting(
  { collecting, visitors, primary, pending = 0 }: VerdictFacts,
  { isOver }: VerdictContext,
): string {
  const state = isOver ? 'The test ended with too little data' : 'Collecting data';
  if (visitors === 0 && pending > 0)
    return `${state}: ${firstWindowsAre(primary.measured?.withinDays)} not over yet.`;
  if (visitors === 0) return `${state}: no visitors${isOver ? '' : ' yet'}.`;
  const { conversions, required } = collecting!;
  const needed = plural(required, primary.measured ? 'visitor' : 'conversion');
  const what = { reached: 'who reached', values: 'with values of' };
  const link = primary.measured ? what[primary.measured.by] : 'of';
  return `${state}: ${count(conversions)} of the ${needed} ${link} ${quote(primary.name)} that a first evaluation needs.`;
}
