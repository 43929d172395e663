import type { Forecast } from '../report/forecast.ts';
import type { VerdictContext, VerdictFacts } from '../report/verdict-facts.ts';
import { duration, durationRange, percent, plural, quote } from './numbers.ts';
import { firstWindowsAre } from './window-words.ts';

/** The last sentence of a verdict: what to do. */
export function describeNext(facts: VerdictFacts, context: VerdictContext): string {
  return `Next: ${nextStep(facts, context)}`;
}

function nextStep(facts: VerdictFacts, context: VerdictContext): string {
  const variation = quote(facts.variation);
  const isPair = context.variations <= 2;
  switch (facts.decision) {
    case 'ship':
      return context.isOver
        ? `choose ${variation} as the winner.`
        : `stop the test and choose ${variation} as the winner.`;
    case 'roll-back':
      if (!isPair)
        return context.isOver ? `do not choose ${variation}.` : `take ${variation} out of the test.`;
      return context.isOver
        ? 'choose the control as the winner.'
        : 'stop the test and choose the control as the winner.';
    case 'no-difference':
      if (context.isOver) return 'keep the variation that costs less.';
      if (!isPair) return `take ${variation} out of the test, unless it costs less.`;
      if (facts.reason === 'futility') return 'stop the test, or plan a larger one.';
      return 'stop the test and keep the variation that costs less.';
    case 'unhealthy':
      return facts.problems.every(({ problem }) => problem === 'novelty')
        ? 'wait until the effect settles.'
        : 'fix the cause, then start the test again.';
    case 'collecting':
      return describeCollecting(facts, context);
    case 'keep-going':
      if (facts.reason === 'open-guardrail') return describeOpenGuardrail(facts, context);
      if (context.isOver) return 'run the test again with more visitors, or keep the control.';
      if (facts.primary.measured && facts.primary.comparison.standardError === null)
        return 'wait for more values: how far the difference may be off is not known yet.';
      return describeForecast(facts.forecast);
  }
}

function describeCollecting(
  { collecting, visitors, primary, pending = 0 }: VerdictFacts,
  { isOver, hasStarted }: VerdictContext,
): string {
  if (visitors === 0 && pending > 0)
    return `wait until ${firstWindowsAre(primary.measured?.withinDays)} over.`;
  if (isOver) return 'run the test again with more visitors.';
  if (visitors === 0) {
    const start = hasStarted
      ? 'check that the pages of the test'
      : 'start the test, and check that its pages';
    return `${start} load the SDK and ask it for a variation.`;
  }
  if (collecting?.conversions === 0) {
    const what = primary.measured ? 'events' : 'conversions';
    return `wait, and check that ${what} of ${quote(primary.name)} are recorded.`;
  }
  const days = collecting?.days ?? null;
  if (days === null) return 'check that the test still gets visitors.';
  return `wait, about ${plural(days, 'more day')} at this traffic.`;
}

function describeOpenGuardrail({ daysLeft }: VerdictFacts, { isOver }: VerdictContext): string {
  if (isOver) return 'run the test again with more visitors, or accept the risk and choose it as the winner.';
  return daysLeft === null
    ? 'the data will not suffice at this traffic: get more visitors, accept a larger harm, or accept the risk and ship.'
    : `wait, about ${plural(daysLeft, 'more day')} at this traffic.`;
}

function describeForecast(forecast: Forecast | null): string {
  if (forecast === null) return 'check that the test still gets visitors.';
  const { low, high, inSight, detectable, horizonDays } = forecast;
  if (!inSight) {
    const size = detectable === null ? 'large differences' : `differences above ${percent(detectable)}`;
    return `a result is not in sight: at this traffic, only ${size} can be found within ${duration(horizonDays)}. Get more visitors, test a bolder change, or stop.`;
  }
  return `wait, probably ${durationRange(low, high)}.`;
}
