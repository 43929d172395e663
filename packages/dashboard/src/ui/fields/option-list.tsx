import { Input } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Check } from './check.tsx';
import classes from './option-list.module.css';

interface OptionListProps<T extends string> {
  /** Several options can be chosen. */
  isMultiple?: boolean;
  label: string;
  /** Only for assistive technology, where a title above says the same. */
  hideLabel?: boolean;
  description?: string;
  error?: string | undefined;
  options: readonly { value: T; label: ReactNode; description?: string }[];
  value: readonly T[];
  onChange: (value: T[]) => void;
}

/** Options below each other: radio buttons or checkboxes. */
export function OptionList<T extends string>(props: OptionListProps<T>) {
  const { isMultiple = false, label, hideLabel = false, options, value, onChange, ...wrapper } = props;
  const id = useId();
  return (
    <Input.Wrapper
      {...wrapper}
      label={hideLabel ? undefined : label}
      labelElement="div"
      labelProps={{ id }}
      role={isMultiple ? 'group' : 'radiogroup'}
      {...(hideLabel ? { 'aria-label': label } : { 'aria-labelledby': id })}
    >
      <div className={classes.options}>
        {options.map((option) => (
          <Check
            key={option.value}
            kind={isMultiple ? 'checkbox' : 'radio'}
            name={id}
            label={option.label}
            description={option.description}
            checked={value.includes(option.value)}
            onChange={(isOn) => {
              const others = isMultiple ? value.filter((each) => each !== option.value) : [];
              onChange(isOn ? [...others, option.value] : others);
            }}
          />
        ))}
      </div>
    </Input.Wrapper>
  );
}
