import {
  type AudienceStep,
  type ConditionStep,
  type FlagSteps,
  MAX_STEP_TEXT,
  MAX_STEP_VALUES,
  type SegmentStep,
} from '@switchyard/core/api/explanations';

/** Enough for thousands of conditions; a response must not grow with the configuration. */
const MAX_CHARACTERS = 512 * 1024;

/** Steps for a response: long values and lists are cut, and beyond the limit conditions are left out. */
export function shortSteps(steps: FlagSteps): FlagSteps {
  const list = new ShortList();
  const rules = steps.rules.map(({ conditions, ...rule }) => ({
    ...rule,
    ...(conditions && { conditions: list.conditions(conditions) }),
  }));
  return { ...steps, rules, segments: list.segments(steps.segments), ...list.mark };
}

/** The same for an audience. */
export function shortAudience(step: AudienceStep): AudienceStep {
  const list = new ShortList();
  const conditions = list.conditions(step.conditions);
  return { ...step, conditions, segments: list.segments(step.segments), ...list.mark };
}

class ShortList {
  #characters = 0;

  conditions(all: readonly ConditionStep[]): ConditionStep[] {
    const kept: ConditionStep[] = [];
    for (const condition of all) {
      const step = shortCondition(condition);
      this.#characters += JSON.stringify(step).length;
      if (this.#characters <= MAX_CHARACTERS) kept.push(step);
    }
    return kept;
  }

  segments(all: readonly SegmentStep[]): SegmentStep[] {
    return all.map((step) => ({ ...step, conditions: this.conditions(step.conditions) }));
  }

  /** Says that something was left out. */
  get mark(): Pick<FlagSteps, 'shortened'> {
    return this.#characters > MAX_CHARACTERS ? { shortened: true } : {};
  }
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
