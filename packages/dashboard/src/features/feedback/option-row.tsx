import { TextInput } from '@mantine/core';
import { MoveButtons } from '../../ui/lists/move-buttons.tsx';
import { IconButton } from '../../ui/page/icon-button.tsx';
import { type Option, optionFields, optionOf } from './feedback-options.ts';
import classes from './option-list-editor.module.css';

interface OptionRowProps {
  option: Option;
  index: number;
  count: number;
  /** What is wrong with the option. */
  error: string | undefined;
  /** What is wrong with its color, if that is it. */
  colorError: string | undefined;
  disabled: boolean;
  onChange: (option: Option) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

const COLOR = /^#[0-9a-f]{6}$/i;

/** Value, label and color of one option, and buttons to move it. */
export function OptionRow(props: OptionRowProps) {
  const { option, index, count, error, colorError, disabled, onChange, onMove, onRemove } = props;
  const fields = optionFields(option);
  const change = (changes: Partial<typeof fields>) => onChange(optionOf({ ...fields, ...changes }));
  const number = index + 1;
  const isColorWrong = fields.color !== '' && !COLOR.test(fields.color);
  return (
    <li className={classes.row}>
      <TextInput
        label={`Value ${number}`}
        maxLength={256}
        value={fields.value}
        error={colorError ? undefined : error}
        disabled={disabled}
        onChange={(event) => change({ value: event.currentTarget.value })}
      />
      <TextInput
        label={`Label ${number}`}
        placeholder={fields.value || 'Like the value'}
        maxLength={256}
        value={fields.label}
        disabled={disabled}
        onChange={(event) => change({ label: event.currentTarget.value })}
      />
      <TextInput
        label={`Color ${number}`}
        placeholder="None"
        maxLength={7}
        value={fields.color}
        error={isColorWrong ? 'Like #3366cc' : colorError}
        disabled={disabled}
        leftSection={
          <input
            type="color"
            className={classes.picker}
            aria-label={`Pick color ${number}`}
            value={COLOR.test(fields.color) ? fields.color : '#888888'}
            disabled={disabled}
            onChange={(event) => change({ color: event.currentTarget.value })}
          />
        }
        onChange={(event) => change({ color: event.currentTarget.value.trim() })}
      />
      <div className={classes.buttons}>
        <MoveButtons
          name={`answer ${number}`}
          index={index}
          count={count}
          disabled={disabled}
          onMove={onMove}
        />
        <IconButton
          icon="close"
          aria-label={`Remove answer ${number}`}
          disabled={disabled}
          onClick={onRemove}
        />
      </div>
    </li>
  );
}
