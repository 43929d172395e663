import type { Configuration, SplitTest } from '../configuration/configuration-types.ts';

export type Outcome = SplitTest['goals'][number];
/** An outcome, with or without a margin. */
export type Guardrail = SplitTest['guardrails'][number];

export interface OutcomeOption {
  /** Unique text for a select. */
  value: string;
  label: string;
  outcome: Outcome;
  /** Options with the same id measure the same; a test can have one of them. */
  id: string;
}

/** Everything that a test can measure: goals, metrics, and feedback with the direction that is wanted. */
export function outcomeOptions({
  goals,
  metrics,
  feedbackTypes,
}: Pick<Configuration, 'goals' | 'metrics' | 'feedbackTypes'>): OutcomeOption[] {
  return [
    ...goals.map(({ id, name }) => option(id, name || id)),
    ...metrics.map(({ id, name }) => option({ metric: id }, name || id)),
    ...feedbackTypes.flatMap(({ id, name, options }) => [
      option({ feedbackType: id, lowerIsBetter: false }, `${name || id}: more answers`),
      ...options.flatMap((each) => {
        const value = typeof each === 'string' ? each : each.value;
        const label = typeof each === 'string' ? each : (each.label ?? value);
        const more = { feedbackType: id, option: value, lowerIsBetter: false };
        return [
          option(more, `${name || id}: more “${label}”`),
          option({ ...more, lowerIsBetter: true }, `${name || id}: fewer “${label}”`),
        ];
      }),
    ]),
  ];
}

const option = (outcome: Outcome, label: string): OutcomeOption => ({
  value: outcomeValue(outcome),
  label,
  outcome,
  id: outcomeId(outcome),
});

export function outcomeValue(outcome: Outcome | Guardrail): string {
  const isFewer = typeof outcome !== 'string' && 'feedbackType' in outcome && outcome.lowerIsBetter;
  return `${outcomeId(outcome)}${isFewer ? ' fewer' : ''}`;
}

export function outcomeId(outcome: Outcome | Guardrail): string {
  if (typeof outcome === 'string') return outcome;
  if ('goalId' in outcome) return outcome.goalId;
  if ('metric' in outcome) return `metric ${outcome.metric}`;
  return `feedback ${outcome.feedbackType}${outcome.option === undefined ? '' : ` ${outcome.option}`}`;
}

export const maxHarmOf = (guardrail: Guardrail): number | null =>
  typeof guardrail === 'string' ? null : (guardrail.maxHarm ?? null);

/** @param maxHarm null: the default of the test */
export function withMaxHarm(guardrail: Guardrail, maxHarm: number | null): Guardrail {
  if (typeof guardrail === 'string' || 'goalId' in guardrail) {
    const goalId = outcomeId(guardrail);
    return maxHarm === null ? goalId : { goalId, maxHarm };
  }
  const { maxHarm: _before, ...outcome } = guardrail;
  return maxHarm === null ? outcome : { ...outcome, maxHarm };
}
