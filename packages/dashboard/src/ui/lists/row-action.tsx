import { ReasonButton } from '../page/reason-button.tsx';

interface RowActionProps {
  /** What assistive technology reads, such as "Delete Staging"; starts with the text. */
  label: string;
  /** Why it cannot be used. */
  reason?: string | undefined;
  isDestructive?: boolean;
  onClick: () => void;
  children: string;
}

/** A small button in a row of a table. */
export function RowAction({ label, reason, isDestructive = false, onClick, children }: RowActionProps) {
  return (
    <ReasonButton
      size="compact-sm"
      variant="subtle"
      {...(isDestructive && { color: 'red' })}
      label={label}
      reason={reason}
      onClick={onClick}
    >
      {children}
    </ReasonButton>
  );
}
