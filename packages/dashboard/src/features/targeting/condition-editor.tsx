import { Select, TextInput } from '@mantine/core';
import type { Condition, Operator } from '@switchyard/core/api/targeting';
import { numberOf } from '@switchyard/core/evaluation/attribute-values';
import { parseInstant } from '@switchyard/core/evaluation/instant';
import { operatorKind } from '@switchyard/core/evaluation/operators';
import { HAS_ONE_VALUE, OPERATOR_WORDS } from '@switchyard/core/words/operator-words';
import { Check } from '../../ui/fields/check.tsx';
import { useFocusIfAdded } from '../../ui/hooks/use-focus-if-added.ts';
import { IconButton } from '../../ui/page/icon-button.tsx';
import classes from './condition-editor.module.css';
import { ConditionValues } from './condition-values.tsx';
import { HAS_OPPOSITE, OPERATOR_GROUPS } from './operator-groups.ts';

interface ConditionEditorProps {
  condition: Condition;
  /** From 1, for assistive technology. */
  number: number;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
  /** The error of a field, such as `values`; without a field, of the condition and its fields. */
  error: (field?: string) => string | undefined;
  /** Id of the `datalist` with names of attributes. */
  suggestions: string;
  disabled: boolean;
  /** It was just added: its first field gets the focus. */
  isAdded: boolean;
  withoutSegment: string | undefined;
}

const OPERATORS = OPERATOR_GROUPS.map(({ group, operators }) => ({
  group,
  items: operators.map((operator) => ({ value: operator, label: OPERATOR_WORDS[operator].is })),
}));

/** One condition: attribute, operator and values in a row. */
export function ConditionEditor(props: ConditionEditorProps) {
  const { condition, number, onChange, onRemove, error, disabled, withoutSegment, isAdded } = props;
  const { attribute = '', operator, negate = false, caseInsensitive = false } = condition;
  const kind = operatorKind(operator);
  const row = useFocusIfAdded(isAdded);
  const hasFieldError = ['attribute', 'operator', 'values'].some(error);
  // It is about the combination of the fields.
  const ownError = hasFieldError ? undefined : error();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in all browsers
    <div ref={row} role="group" aria-label={`Condition ${number}`} className={classes.row}>
      {kind === 'segment' ? (
        <span className={classes.subject}>The visitor is {negate && 'not '}in</span>
      ) : (
        <>
          <TextInput
            aria-label="Attribute"
            placeholder="Attribute"
            maxLength={256}
            list={props.suggestions}
            value={attribute}
            error={error('attribute') ?? ownError !== undefined}
            disabled={disabled}
            onChange={(event) => onChange(withAttribute(condition, event.currentTarget.value))}
          />
          <Select
            aria-label="Operator"
            data={OPERATORS}
            value={operator}
            error={error('operator')}
            allowDeselect={false}
            disabled={disabled}
            comboboxProps={{ width: 220, position: 'bottom-start' }}
            maxDropdownHeight={320}
            onChange={(value) => value && onChange(withOperator(condition, value as Operator))}
          />
        </>
      )}
      <div className={classes.values}>
        <ConditionValues
          condition={condition}
          error={error('values') ?? ownError !== undefined}
          disabled={disabled}
          withoutSegment={withoutSegment}
          onChange={(values) => onChange({ ...condition, values })}
        />
      </div>
      <IconButton
        icon="close"
        size="lg"
        aria-label={`Remove condition ${number}`}
        disabled={disabled}
        onClick={onRemove}
      />
      {ownError && (
        <p className={`bad ${classes.error}`} role="alert">
          {ownError}
        </p>
      )}
      <div className={classes.options}>
        {(negate || !HAS_OPPOSITE.has(operator)) && (
          <Check
            label="Not"
            title="Inverts the condition; a missing attribute still never matches"
            checked={negate}
            disabled={disabled}
            onChange={(isOn) => onChange(withOption(condition, 'negate', isOn))}
          />
        )}
        {(kind === 'text' || kind === 'pattern') && (
          <Check
            label="Ignore case"
            checked={caseInsensitive}
            disabled={disabled}
            onChange={(isOn) => onChange(withOption(condition, 'caseInsensitive', isOn))}
          />
        )}
      </div>
    </div>
  );
}

/** Left out while it is empty. */
function withAttribute({ attribute: _, ...condition }: Condition, attribute: string): Condition {
  return attribute === '' ? condition : { attribute, ...condition };
}

function withOption(condition: Condition, name: 'negate' | 'caseInsensitive', isOn: boolean): Condition {
  const { [name]: _, ...rest } = condition;
  return isOn ? { ...rest, [name]: true } : rest;
}

/** Keeps the values that still make sense. */
function withOperator(condition: Condition, operator: Operator): Condition {
  const { values = [], caseInsensitive, ...rest } = condition;
  const kind = operatorKind(operator);
  const isText = kind === 'text' || kind === 'pattern';
  const option = isText && caseInsensitive ? { caseInsensitive } : {};
  if (kind === 'presence') return { ...rest, operator };
  const usable = values.filter((value) => {
    if (kind === 'number') return numberOf(value) !== undefined;
    return kind !== 'instant' || parseInstant(value) !== undefined;
  });
  return { ...rest, ...option, operator, values: HAS_ONE_VALUE.has(operator) ? usable.slice(0, 1) : usable };
}
