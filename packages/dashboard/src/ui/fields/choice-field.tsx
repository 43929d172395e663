import { Input } from '@mantine/core';
import { useId } from 'react';
import { Choice, type ChoiceProps } from './choice.tsx';

interface ChoiceFieldProps<T extends string> extends ChoiceProps<T> {
  label: string;
  description?: string | undefined;
  error?: string | undefined;
}

/** A choice with a visible label, for forms. */
export function ChoiceField<T extends string>({ label, description, error, ...props }: ChoiceFieldProps<T>) {
  const id = useId();
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      labelElement="div"
      labelProps={{ id }}
      inputContainer={(choice) => <div>{choice}</div>}
    >
      <Choice {...props} labelledBy={id} />
    </Input.Wrapper>
  );
}
