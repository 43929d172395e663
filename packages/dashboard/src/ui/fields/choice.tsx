import { useId } from 'react';
import classes from './choice.module.css';

export interface ChoiceProps<T extends string> {
  /** Names the group for assistive technology; left out if `labelledBy` does. */
  label?: string;
  labelledBy?: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
  disabled?: boolean;
}

/** One of a few options side by side: radio buttons that look like one control. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, labelledBy, options, value, onChange, disabled = false } = props;
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} aria-labelledby={labelledBy} className={classes.choice}>
      {options.map((option) => (
        <label key={option.value} className={classes.option}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            disabled={disabled}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
