import { MultiSelect } from '@mantine/core';
import {
  type Guardrail,
  type Outcome,
  type OutcomeOption,
  outcomeId,
  outcomeValue,
} from './outcome-options.ts';

interface OutcomeListProps {
  label: string;
  description: string;
  options: readonly OutcomeOption[];
  value: readonly (Outcome | Guardrail)[];
  onChange: (outcomes: Outcome[]) => void;
  error: string | undefined;
  disabled?: boolean;
}

/** Several goals, or kinds of feedback. */
export function OutcomeList({ options, value, onChange, disabled, ...props }: OutcomeListProps) {
  return (
    <MultiSelect
      {...props}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={labels(options)}
      value={value.map(outcomeValue)}
      onChange={(values) => onChange(withoutRepeats(outcomesOf(options, values)))}
      disabled={disabled ?? false}
      searchable
      clearable
    />
  );
}

export const labels = (options: readonly OutcomeOption[]) =>
  options.map(({ value, label }) => ({ value, label }));

export const outcomesOf = (options: readonly OutcomeOption[], values: readonly string[]): Outcome[] =>
  values.flatMap((value) => options.find((each) => each.value === value)?.outcome ?? []);

/** Of "more" and "fewer" of the same option, the one chosen last stays. */
function withoutRepeats(outcomes: readonly Outcome[]): Outcome[] {
  return [...new Map(outcomes.map((each) => [outcomeId(each), each])).values()];
}
