import { Text } from '@mantine/core';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { formatPercent } from '../../ui/format/format.ts';
import classes from './outcome-fields.module.css';
import type { MeasuredBy, OutcomeForm } from './outcome-form.ts';
import { OutcomeList } from './outcome-list.tsx';
import {
  type Guardrail,
  maxHarmOf,
  type Outcome,
  type OutcomeOption,
  outcomeId,
  outcomeValue,
  withMaxHarm,
} from './outcome-options.ts';

/** Used if the test has no smallest effect. */
const DEFAULT_MAX_HARM = 0.05;

const IN_TESTS =
  'Must not get worse, such as refunds or complaints. A variation that harms one is not a winner';

interface GuardrailFieldsProps {
  form: Pick<OutcomeForm, 'change' | 'errorAt'> & {
    value: Pick<MeasuredBy, 'guardrails' | 'smallestEffect'>;
  };
  /** Default: that of a test. */
  description?: string;
  options: readonly OutcomeOption[];
  disabled: boolean;
}

/** What must not get worse, and by how much. */
export function GuardrailFields(props: GuardrailFieldsProps) {
  const { form, options, disabled, description = IN_TESTS } = props;
  const { value, change, errorAt } = form;
  const { guardrails } = value;
  const defaultMargin = value.smallestEffect ?? DEFAULT_MAX_HARM;
  const setMaxHarm = (at: number, maxHarm: number | null) =>
    change({
      guardrails: guardrails.map((each, index) => (index === at ? withMaxHarm(each, maxHarm) : each)),
    });
  return (
    <>
      <OutcomeList
        label="Guardrails"
        description={description}
        options={options}
        value={guardrails}
        onChange={(next) => change({ guardrails: withMargins(next, guardrails) })}
        error={errorAt('/guardrails')}
        disabled={disabled}
      />
      {guardrails.length > 0 && (
        <>
          <div className={classes.columns}>
            {guardrails.map((each, index) => (
              <NumberField
                key={outcomeId(each)}
                label={`Max harm: ${labelOf(each, options)}`}
                unit="%"
                placeholder={inPercent(defaultMargin)}
                disabled={disabled}
                value={percentOf(maxHarmOf(each))}
                onChange={(percent) => setMaxHarm(index, shareOf(percent))}
                error={errorAt(`/guardrails/${index}/maxHarm`) ?? errorAt(`/guardrails/${index}`)}
              />
            ))}
          </div>
          <Text size="xs" c="dimmed">
            How much worse it may get, relative to the control. A guardrail is safe once the data rule out
            more harm than that; the smaller the number, the more visitors that takes. Empty:{' '}
            {formatPercent(defaultMargin)}
            {value.smallestEffect === null ? '' : ', the smallest change worth finding'}.
          </Text>
        </>
      )}
    </>
  );
}

/** The chosen outcomes; those that were guardrails before keep their margin. */
const withMargins = (chosen: readonly Outcome[], before: readonly Guardrail[]): Guardrail[] =>
  chosen.map((each) => {
    const known = before.find((guardrail) => outcomeId(guardrail) === outcomeId(each));
    return withMaxHarm(each, known === undefined ? null : maxHarmOf(known));
  });

const labelOf = (guardrail: Guardrail, options: readonly OutcomeOption[]) =>
  options.find(({ value }) => value === outcomeValue(guardrail))?.label ?? outcomeId(guardrail);

const inPercent = (share: number) => String(percentOf(share));
const percentOf = (share: number | null) => (share === null ? null : Number((share * 100).toFixed(6)));
const shareOf = (percent: number | null) => (percent === null ? null : Number((percent / 100).toFixed(8)));
