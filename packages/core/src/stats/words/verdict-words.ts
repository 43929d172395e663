import type { Interval } from '../comparison.ts';
import { isRelative, type Verdict } from '../report/verdict.ts';
import { describeDecision } from './decision-words.ts';
import { describeNext } from './next-words.ts';
import { list, plural, signedChange, signedPercent, values } from './numbers.ts';

export type VerdictFacts = Omit<Verdict, 'words' | 'sentences'>;

export interface VerdictContext {
  /** The phase has ended. */
  readonly isOver: boolean;
  /** The test has a phase. */
  readonly hasStarted: boolean;
  /** Number of variations, including the control. */
  readonly variations: number;
  /** Code of the currency that amounts are shown in. */
  readonly currency: string;
}

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

type GoalOutcome = Verdict['primary'];

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

function describeGuardrails(
  { decision, guardrails, harmedGuardrails }: VerdictFacts,
  { isOver, currency }: VerdictContext,
) {
  if (guardrails.length === 0 || decision === 'unhealthy') return '';
  if (harmedGuardrails.length === 0) {
    const isOpen = !isOver && decision === 'keep-going';
    const untold = decision === 'collecting' ? guardrails : guardrails.filter((goal) => !isCompared(goal));
    const tooEarly = isOver ? 'too little data to tell' : 'too early to tell';
    if (untold.length === guardrails.length) return `Guardrails: ${tooEarly}.`;
    const rest = untold.length === 0 ? '' : `; ${tooEarly} for ${list(untold.map(({ name }) => name))}`;
    return `Guardrails: no harm found${isOpen ? ' so far' : ''}${rest}.`;
  }
  const others = guardrails.length - harmedGuardrails.length;
  const harmed = harmedGuardrails.map((goal) => `${goal.name} got worse, ${describeChange(goal, currency)}`);
  const rest = others === 0 ? '' : `; no harm found in the other ${others === 1 ? 'one' : others}`;
  return `Guardrails: ${harmed.join('; ')}${rest}.`;
}

function isCompared({ comparison: { absolute } }: GoalOutcome): boolean {
  return absolute !== null && (absolute.low !== null || absolute.high !== null);
}

/** Such as "6.9 % → 8.6 %, +24 %, between +8 % and +43 %". */
function describeChange(goal: GoalOutcome, currency: string): string {
  const { unit, comparison } = goal;
  const usesPercent = isRelative(goal);
  const interval = usesPercent ? comparison.relative : comparison.absolute;
  if (interval === null) return describeValues(goal, currency);
  const write = (change: number) =>
    usesPercent ? signedPercent(change) : signedChange(change, unit, currency);
  return `${describeValues(goal, currency)}${describeEstimate(goal, currency)}${describeRange(interval, comparison.absolute, write)}`;
}

function describeValues({ control, variation, unit }: GoalOutcome, currency: string): string {
  if (control === null || variation === null) return 'unknown';
  return `${values(control, variation, unit, currency).join(' → ')}${unit === 'dollars' ? ' per visitor' : ''}`;
}

function describeEstimate(goal: GoalOutcome, currency: string): string {
  const { unit, comparison } = goal;
  const { relative, absolute } = comparison;
  if (isRelative(goal)) return `, ${signedPercent(relative!.estimate)}`;
  return absolute === null ? '' : `, ${signedChange(absolute.estimate, unit, currency)}`;
}

const UNCERTAIN = 'because the value of the control is too uncertain';

function describeRange(
  { low, high }: Interval,
  absolute: Interval | null,
  write: (change: number) => string,
): string {
  if (low !== null && high !== null) return `, between ${write(low)} and ${write(high)}`;
  if (low !== null && low > -1) return `, at least ${write(low)}, with no upper limit ${UNCERTAIN}`;
  if (high !== null) return `, at most ${write(high)}, with no lower limit ${UNCERTAIN}`;
  const isKnown = absolute !== null && absolute.low !== null;
  return isKnown ? `, with no limits ${UNCERTAIN}` : ', range not known yet';
}
