import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface ReasonButtonProps extends ButtonProps {
  /** Why the button cannot be used now; undefined: it can. */
  reason: string | undefined;
  onClick: () => void;
  /** Default: the text of the button. */
  label?: string;
  children: ReactNode;
}

/** A button that says why it is disabled. It keeps the focus, so that the reason can be read with the keyboard. */
export function ReasonButton({ reason, onClick, label, children, ...props }: ReasonButtonProps) {
  const isDisabled = reason !== undefined;
  return (
    <Tooltip label={reason} disabled={!isDisabled}>
      <Button
        {...props}
        {...(isDisabled && { 'data-disabled': true, 'aria-disabled': true })}
        aria-label={label}
        aria-description={reason}
        onClick={() => !isDisabled && onClick()}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
