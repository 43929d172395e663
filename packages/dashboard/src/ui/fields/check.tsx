import { type ComponentProps, type ReactNode, useId } from 'react';
import classes from './check.module.css';

interface CheckProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange'> {
  kind?: 'checkbox' | 'radio' | 'switch';
  label?: ReactNode;
  description?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A checkbox, radio button or switch with its label. */
export function Check({ kind = 'checkbox', label, description, title, onChange, ...input }: CheckProps) {
  const descriptionId = useId();
  return (
    <div className={classes.check} title={title}>
      <label>
        <input
          {...input}
          type={kind === 'radio' ? 'radio' : 'checkbox'}
          {...(kind === 'switch' && { role: 'switch' })}
          {...(description && { 'aria-describedby': descriptionId })}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      {description && <p id={descriptionId}>{description}</p>}
    </div>
  );
}
