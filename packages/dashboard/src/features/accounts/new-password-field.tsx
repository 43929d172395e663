import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A password that is chosen here; the server asks for the same length. */
export function NewPasswordField({ label = 'Password', ...props }: PasswordInputProps) {
  return (
    <PasswordInput
      {...props}
      label={label}
      description="At least 12 characters"
      autoComplete="new-password"
      minLength={12}
      maxLength={256}
      required
    />
  );
}
