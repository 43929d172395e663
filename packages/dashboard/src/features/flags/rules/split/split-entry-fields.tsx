import { TextInput } from '@mantine/core';
import type { SplitEntry } from '@switchyard/core/api/targeting';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { formatPercent } from '../../../../ui/format/format.ts';
import { IconButton } from '../../../../ui/page/icon-button.tsx';
import type { FlagKind } from '../../values/flag-kinds.ts';
import { ValueInput } from '../../values/value-input.tsx';
import classes from './split-editor.module.css';
import { withKey } from './splits.ts';

interface SplitEntryFieldsProps {
  entry: SplitEntry;
  index: number;
  kind: FlagKind;
  /** 0 to 100. */
  share: number;
  /** Whether the name of the variant is shown. */
  isNamed: boolean;
  onChange: (entry: SplitEntry) => void;
  /** Missing: the split needs this entry. */
  onRemove: (() => void) | undefined;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the entry. */
  pointer: string;
  disabled: boolean;
}

/** A value, and who gets it. */
export function SplitEntryFields(props: SplitEntryFieldsProps) {
  const { entry, index, kind, share, isNamed, onChange, onRemove, errors, pointer, disabled } = props;
  const position = index + 1;
  return (
    <li className={classes.entry} data-named={isNamed || undefined}>
      <ValueInput
        label={`Value ${position}`}
        kind={kind}
        value={entry.value}
        error={errors(`${pointer}/value`)}
        disabled={disabled}
        onChange={(value) => onChange({ ...entry, value })}
      />
      {isNamed && (
        <TextInput
          label="Variant"
          aria-label={`Variant of value ${position}`}
          placeholder={String(index)}
          maxLength={128}
          value={entry.key ?? ''}
          error={errors(`${pointer}/key`)}
          disabled={disabled}
          onChange={(event) => onChange(withKey(entry, event.currentTarget.value))}
        />
      )}
      <NumberField
        label="Weight"
        aria-label={`Weight of value ${position}`}
        value={entry.weight}
        error={errors(`${pointer}/weight`)}
        disabled={disabled}
        onChange={(weight) => onChange({ ...entry, weight: weight ?? 0 })}
      />
      <output className={classes.share} aria-live="off" aria-label={`Share of value ${position}`}>
        {formatPercent(share / 100)}
      </output>
      <IconButton
        icon="close"
        size="lg"
        mt={22}
        aria-label={`Remove value ${position}`}
        title={onRemove ? undefined : 'A split needs at least two values'}
        disabled={disabled || onRemove === undefined}
        onClick={onRemove}
      />
    </li>
  );
}
