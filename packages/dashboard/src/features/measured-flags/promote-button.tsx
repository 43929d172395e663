import type { SplitTestResults } from '@switchyard/core/api/results';
import { useState } from 'react';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import type { MeasuredTest } from './measured-tests.ts';
import { PromoteDialog } from './promote-dialog.tsx';

interface PromoteButtonProps {
  test: MeasuredTest;
  /** Suggests the winner. */
  verdict: SplitTestResults['verdict'] | undefined;
  variant?: string;
  size?: string;
  children: string;
}

export function PromoteButton({ test, verdict, variant = 'filled', size, children }: PromoteButtonProps) {
  const { missingRole } = useProperty();
  const [isOpen, setOpen] = useState(false);
  const [isProposed, setProposed] = useState(false);
  return (
    <>
      <ReasonButton
        variant={variant}
        {...(size && { size })}
        reason={missingRole('editor')}
        onClick={() => setOpen(true)}
      >
        {children}
      </ReasonButton>
      <span role="status" className="unseen">
        {isProposed && 'Your change is proposed. It takes effect when an admin approves it.'}
      </span>
      {isOpen && (
        <PromoteDialog
          test={test}
          verdict={verdict ?? undefined}
          onClose={() => setOpen(false)}
          onProposed={() => setProposed(true)}
        />
      )}
    </>
  );
}
