import { Input, Stack, TextInput } from '@mantine/core';
import type { FlagValue, Rule } from '@switchyard/core/api/targeting';
import { Check } from '../../../ui/fields/check.tsx';
import { MeasureSection } from '../../measured-flags/editor/measure-section.tsx';
import { ConditionListEditor } from '../../targeting/condition-list-editor.tsx';
import type { FlagKind } from '../values/flag-kinds.ts';
import { RolloutEditor } from './rollout-editor.tsx';
import { ServedFields } from './served-fields.tsx';

interface RuleEditorProps {
  rule: Rule;
  kind: FlagKind;
  /** Where the rule has no value yet. */
  startValue: FlagValue;
  onChange: (rule: Rule) => void;
  errors: (pointer: string) => string | undefined;
  pointer: string;
  disabled: boolean;
}

/** The fields of a rule. */
export function RuleEditor(props: RuleEditorProps) {
  const { rule, onChange, errors, pointer, disabled } = props;
  const { conditions = [], match, rollout } = rule;
  return (
    <Stack gap="sm">
      <Input.Wrapper label="If" labelElement="div" error={listError(errors, pointer)}>
        <ConditionListEditor
          conditions={conditions}
          match={match}
          pointer={`${pointer}/conditions`}
          errors={errors}
          disabled={disabled}
          emptyText="No conditions: the rule applies to everyone."
          onChange={(list) => onChange(withConditions(rule, list))}
        />
      </Input.Wrapper>
      <ServedFields {...props} />
      <Check
        kind="switch"
        label="Only to a percentage"
        checked={rollout !== undefined}
        disabled={disabled}
        onChange={(isOn) => onChange(withRollout(rule, isOn))}
      />
      {rollout && (
        <RolloutEditor
          rollout={rollout}
          ruleId={rule.id}
          pointer={`${pointer}/rollout`}
          errors={errors}
          disabled={disabled}
          onChange={(next) => onChange({ ...rule, rollout: next })}
        />
      )}
      <MeasureSection rule={rule} onChange={onChange} errors={errors} pointer={pointer} disabled={disabled} />
      <TextInput
        label="Name of the rule"
        description={`Optional. Its id is ${rule.id}, which evaluations report`}
        maxLength={256}
        maw={400}
        value={rule.name ?? ''}
        error={errors(`${pointer}/name`) ?? errors(`${pointer}/id`)}
        disabled={disabled}
        onChange={(event) => onChange(withName(rule, event.currentTarget.value))}
      />
    </Stack>
  );
}

/** About the list as a whole; mistakes in a condition are shown at its fields. */
const listError = (errors: RuleEditorProps['errors'], pointer: string) =>
  errors(`${pointer}/conditions`) && 'Some conditions are not complete';

function withConditions(
  { match: _, ...rule }: Rule,
  { conditions, match }: Pick<Rule, 'conditions' | 'match'>,
): Rule {
  return { ...rule, ...(match && { match }), ...(conditions && { conditions }) };
}

function withRollout({ rollout: _, ...rule }: Rule, isPartial: boolean): Rule {
  return isPartial ? { ...rule, rollout: { percentage: 10 } } : rule;
}

function withName({ name: _, ...rule }: Rule, name: string): Rule {
  return name === '' ? rule : { ...rule, name };
}
