import type { VerdictContext, VerdictFacts } from '../report/verdict-facts.ts';
import { describeDecision } from './decision-words.ts';
import { describeChange, describeEstimate, describeValues } from './effect-words.ts';
import { describeGuardrails } from './guardrail-words.ts';
import { describeNext } from './next-words.ts';
import { plural } from './numbers.ts';

/** A verdict in words, in the order in which it is read; empty if there is nothing to say. */
export interface VerdictSentences {
  readonly decision: string;
  /** Rates, uplift and interval of the primary goal. */
  readonly primary: string;
  readonly guardrails: string;
  /** What to do next. */
  readonly next: string;
}

export function describeVerdict(facts: VerdictFacts, context: VerdictContext): VerdictSentences {
  return {
    decision: describeDecision(facts, context),
    primary: describePrimary(facts, context),
    guardrails: describeGuardrails(facts, context),
    next: describeNext(facts, context),
  };
}

function describePrimary(
  { decision, primary, visitors }: VerdictFacts,
  { currency }: VerdictContext,
): string {
  const { name, control, variation } = primary;
  if (control === null || variation === null) return `${name}: nothing to compare yet.`;
  const measured = `(${plural(visitors, 'visitor')})`;
  if (decision === 'collecting' || decision === 'unhealthy') {
    const caution = decision === 'collecting' ? 'too early for a range' : 'do not rely on it';
    return `${name}: ${describeValues(primary, currency)}${describeEstimate(primary, currency)} ${measured}; ${caution}.`;
  }
  return `${name}: ${describeChange(primary, currency)} ${measured}.`;
}
