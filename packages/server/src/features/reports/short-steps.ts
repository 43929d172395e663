import {
  type ConditionStep,
  type FlagSteps,
  MAX_STEP_TEXT,
  MAX_STEP_VALUES,
} from '@switchyard/core/api/explanations';

/** Enough for thousands of conditions; a response must not grow with the configuration. */
const MAX_CHARACTERS = 512 * 1024;

/** Steps for a response: long values and lists are cut, and beyond the limit conditions are left out. */
export function shortSteps(steps: FlagSteps): FlagSteps {
  let characters = 0;
  const short = (conditions: readonly ConditionStep[]): ConditionStep[] => {
    const kept: ConditionStep[] = [];
    for (const condition of conditions) {
      const step = shortCondition(condition);
      characters += JSON.stringify(step).length;
      if (characters <= MAX_CHARACTERS) kept.push(step);
    }
    return kept;
  };
  const rules = steps.rules.map(({ conditions, ...rule }) => ({
    ...rule,
    ...(conditions && { conditions: short(conditions) }),
  }));
  const segments = steps.segments.map((step) => ({ ...step, conditions: short(step.conditions) }));
  return { ...steps, rules, segments, ...(characters > MAX_CHARACTERS && { shortened: true }) };
}

function shortCondition({ values, segments, actual, ...step }: ConditionStep): ConditionStep {
  const moreValues = (values?.length ?? 0) - MAX_STEP_VALUES;
  return {
    ...step,
    ...(values && { values: values.slice(0, MAX_STEP_VALUES).map(shortValue) }),
    ...(moreValues > 0 && { moreValues }),
    ...(segments && { segments: segments.slice(0, MAX_STEP_VALUES) }),
    ...(actual !== undefined && { actual: shortValue(actual) }),
  };
}

/** The value itself, or the start of its text. */
function shortValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_STEP_TEXT ? `${text.slice(0, MAX_STEP_TEXT - 1)}…` : value;
}
