import { ChoiceField } from '../../../ui/fields/choice-field.tsx';
import type { SplitTestForm } from './use-split-test-form.ts';

const OPTIONS = [
  { value: 'notify', label: 'Notify me' },
  { value: 'stop', label: 'Stop it' },
] as const;

const WORDS = {
  notify: 'The verdict says so, here and to webhooks, and you decide',
  stop: 'As soon as the primary goal or a guardrail is proven to have got worse, the variation is taken out; if no other is left, the test is stopped and everybody sees the control. It happens by mistake in at most 5 % of the tests without any harm',
};

/** What happens when a variation is proven to do harm. */
export function OnHarmField({ form }: { form: SplitTestForm }) {
  const { value, change, errorAt } = form;
  const { onHarm = 'notify' } = value;
  return (
    <ChoiceField
      label="If a variation does harm"
      description={WORDS[onHarm]}
      options={OPTIONS}
      value={onHarm}
      onChange={(next) => change({ onHarm: next })}
      error={errorAt('/onHarm')}
    />
  );
}
