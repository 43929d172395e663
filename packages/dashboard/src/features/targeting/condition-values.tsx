import '../../ui/style/mantine-form-styles.ts';
import { TagsInput, TextInput } from '@mantine/core';
import type { Condition } from '@switchyard/core/api/targeting';
import { parseInstant } from '@switchyard/core/evaluation/instant';
import { operatorKind } from '@switchyard/core/evaluation/operators';
import { HAS_ONE_VALUE } from '@switchyard/core/words/operator-words';
import { useState } from 'react';
import { DateTimeField } from '../../ui/fields/date-time-field.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { displayZone } from '../../ui/format/display-zone.ts';
import { useProperty } from '../configuration/property-context.tsx';

type Values = NonNullable<Condition['values']>;

interface ConditionValuesProps {
  condition: Condition;
  onChange: (values: Values) => void;
  error?: string | boolean | undefined;
  disabled?: boolean;
  /** A segment that must not be chosen. */
  withoutSegment?: string | undefined;
}

/** Above this, values are edited as lines of text. */
const MAX_TAGS = 30;

/** The values of a condition, with the input that fits what its operator compares. */
export function ConditionValues({ condition, onChange, withoutSegment, ...props }: ConditionValuesProps) {
  const { operator, values = [] } = condition;
  switch (operatorKind(operator)) {
    case 'presence':
      return null;
    case 'segment':
      return <SegmentValues {...props} values={values} onChange={onChange} without={withoutSegment} />;
    case 'number':
      return <OneText {...props} values={values} onChange={onNumber(onChange)} placeholder="Number" />;
    case 'instant':
      return (
        <DateTimeField
          {...props}
          aria-label={`Value, in ${displayZone().name}`}
          value={parseInstant(values[0])}
          onChange={(at) => onChange(at === undefined ? [] : [new Date(at).toISOString()])}
        />
      );
    case 'version':
      if (!HAS_ONE_VALUE.has(operator)) break;
      return <OneText {...props} values={values} onChange={onChange} placeholder="1.2.3" />;
    default:
      if (values.length > 1 || (operator !== 'equals' && operator !== 'notEquals')) break;
      return <OneText {...props} values={values} onChange={onChange} placeholder="Value" />;
  }
  return <ManyTexts {...props} values={values} onChange={onChange} />;
}

interface FieldProps extends Omit<ConditionValuesProps, 'condition' | 'withoutSegment'> {
  values: Values;
}

function OneText({ values, onChange, ...props }: FieldProps & { placeholder: string }) {
  return (
    <TextInput
      {...props}
      aria-label="Value"
      maxLength={1024}
      value={String(values[0] ?? '')}
      onChange={({ currentTarget: { value } }) => onChange(value === '' ? [] : [value])}
    />
  );
}

/** Numbers are stored as numbers; what is not one yet stays text, and the server says so. */
const onNumber = (onChange: (values: Values) => void) => (values: Values) =>
  onChange(values.map((text) => (String(Number(text)) === text ? Number(text) : text)));

function ManyTexts({ values, onChange, ...props }: FieldProps) {
  const [isLong] = useState(values.length > MAX_TAGS);
  // Numbers and booleans that were not edited stay what they are.
  const change = (texts: string[]) =>
    onChange(texts.map((text) => values.find((value) => String(value) === text) ?? text));
  const texts = [...new Set(values.map(String))];
  if (isLong) return <Lines {...props} texts={texts} onChange={change} />;
  return (
    <TagsInput
      {...props}
      aria-label="Values"
      placeholder={texts.length === 0 ? 'Values, each with Enter' : ''}
      splitChars={[',', '\n', '\t']}
      value={texts}
      onChange={change}
    />
  );
}

interface LinesProps extends Pick<ConditionValuesProps, 'error' | 'disabled'> {
  texts: string[];
  onChange: (texts: string[]) => void;
}

function Lines({ texts, onChange, ...props }: LinesProps) {
  const [text, setText] = useState(texts.join('\n'));
  return (
    <TextArea
      {...props}
      aria-label="Values, one per line"
      description={`${texts.length} values, one per line`}
      rows={8}
      value={text}
      onChange={(value) => {
        setText(value);
        onChange([...new Set(value.split('\n').map((line) => line.trim()))].filter((line) => line !== ''));
      }}
    />
  );
}

/** Segments by their names, or by id where a name is not unique. */
function SegmentValues({
  values,
  onChange,
  without,
  ...props
}: FieldProps & { without: string | undefined }) {
  const { segments } = useProperty().configuration;
  const names = new Map(segments.map(({ id, name }) => [id, name || id]));
  const labels = new Map(
    [...names].map(([id, name]) => [
      id,
      [...names.values()].filter((each) => each === name).length > 1 ? id : name,
    ]),
  );
  const idOf = (label: string) => [...labels].find(([id, each]) => each === label || id === label)?.[0];
  const choices = [...labels].filter(([id]) => id !== without).map(([, label]) => label);
  return (
    <TagsInput
      {...props}
      aria-label="Segments"
      placeholder={
        values.length > 0 ? '' : choices.length === 0 ? 'There are no segments yet' : 'Choose segments'
      }
      data={choices}
      limit={100}
      // A deleted segment stays visible, so that it can be removed.
      value={values.map((id) => labels.get(String(id)) ?? String(id))}
      onChange={(chosen) => {
        const ids = chosen.map((label) => idOf(label) ?? values.find((id) => id === label));
        onChange([...new Set(ids.filter((id) => id !== undefined && id !== without))] as Values);
      }}
    />
  );
}
