import type { Guardrail, GuardrailState } from '../report/guardrails.ts';
import type { VerdictContext, VerdictFacts } from '../report/verdict-facts.ts';
import { describeChange } from './effect-words.ts';
import { list, percent, plural, quote } from './numbers.ts';

/** What is known of each guardrail, the worst first. */
export function describeGuardrails(
  { decision, guardrails }: VerdictFacts,
  { isOver, currency }: VerdictContext,
): string {
  if (guardrails.length === 0 || decision === 'unhealthy') return '';
  const inState = (state: GuardrailState) => guardrails.filter((goal) => goal.state === state);
  const harmed = inState('harmed').map((goal) => `${goal.name} got worse, ${describeChange(goal, currency)}`);
  const safe = byMargin(inState('safe')).map(
    ([margin, goals]) => `no harm beyond ${margin} in ${names(goals)}`,
  );
  const open = byMargin(inState('open')).map(([margin, goals]) => describeOpen(margin, goals, isOver));
  return `Guardrails: ${[...harmed, ...open, ...safe].join('; ')}.`;
}

function describeOpen(margin: string, goals: readonly Guardrail[], isOver: boolean): string {
  const missing = isOver ? 'not enough data' : 'not enough data yet';
  return `${missing} to exclude harm beyond ${margin} in ${list(goals.map((goal) => (isOver ? goal.name : withDays(goal))))}`;
}

const withDays = ({ name, daysLeft }: Guardrail) =>
  daysLeft === null ? name : `${name} (about ${plural(daysLeft, 'more day')})`;

/** Guardrails with the same margin share a sentence. */
function byMargin(goals: readonly Guardrail[]): [margin: string, goals: readonly Guardrail[]][] {
  const groups = new Map<string, Guardrail[]>();
  for (const goal of goals) {
    const margin = percent(goal.maxHarm);
    groups.set(margin, [...(groups.get(margin) ?? []), goal]);
  }
  return [...groups];
}

const names = (goals: readonly Guardrail[]) => list(goals.map(({ name }) => name));

/** The open guardrails, quoted, as the reason why a variation that is better cannot ship yet. */
export function describeBlocking({ guardrails }: Pick<VerdictFacts, 'guardrails'>): string {
  const open = guardrails.filter(({ state }) => state === 'open');
  const noun = open.length === 1 ? 'the guardrail' : 'the guardrails';
  return `${noun} ${list(open.map(({ name }) => quote(name)))}`;
}
