import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { messageOf } from '../../api.ts';

interface ErrorAlertProps {
  /** Nothing is shown without one. */
  error: Error | null;
  title?: string;
  mt?: string;
  /** After the message. */
  children?: ReactNode;
}

/** Says why something was refused. */
export function ErrorAlert({ error, title, mt, children }: ErrorAlertProps) {
  if (error === null) return null;
  return (
    <Alert color="red" role="alert" title={title} mt={mt}>
      {messageOf(error)} {children}
    </Alert>
  );
}
