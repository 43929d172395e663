import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { propertyPath, request } from '../../api.ts';
import { ConfirmDialog } from '../../ui/page/confirm-dialog.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useMe } from '../accounts/use-me.ts';
import { useReview } from '../changes/review-context.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './change-list.module.css';
import type { Proposal } from './use-proposals.ts';

/** Admins approve and reject; authors withdraw their own. */
export function ProposalActions({ proposal }: { proposal: Proposal }) {
  const { propertyId, missingRole } = useProperty();
  const { account } = useMe();
  const client = useQueryClient();
  const review = useReview();
  const [isRejecting, setRejecting] = useState(false);
  const { id, key, author } = proposal;
  const isOwn = author.id === account.id;
  const refresh = () => client.invalidateQueries({ queryKey: ['proposals', propertyId] });
  const approve = async () => {
    const { outcome } = await review({
      title: `Approve the proposal of ${author.name} for ${key}`,
      confirmLabel: 'Approve',
      method: 'POST',
      path: propertyPath(propertyId, 'proposals', id, 'approve'),
    });
    if (outcome === 'saved') void refresh();
  };
  const reject = useMutation({
    mutationFn: () => request(propertyPath(propertyId, 'proposals', id, 'reject'), { method: 'POST' }),
    onSuccess: refresh,
  });
  const adminReason = missingRole('admin');
  const verb = isOwn ? 'Withdraw' : 'Reject';
  return (
    <div className={classes.actions}>
      <ReasonButton
        size="compact-sm"
        reason={isOwn ? 'Nobody approves their own proposal' : adminReason}
        label={`Approve the proposal of ${author.name} for ${key}`}
        onClick={() => void approve()}
      >
        Approve
      </ReasonButton>
      <ReasonButton
        size="compact-sm"
        variant="default"
        reason={isOwn ? undefined : adminReason}
        label={`${verb} the proposal of ${author.name} for ${key}`}
        onClick={() => setRejecting(true)}
      >
        {verb}
      </ReasonButton>
      {isRejecting && (
        <ConfirmDialog
          title={`${verb} the proposal for ${key}?`}
          confirmLabel={verb}
          isPending={reject.isPending}
          error={reject.error}
          onConfirm={() => reject.mutate()}
          onClose={() => {
            reject.reset();
            setRejecting(false);
          }}
        >
          Nothing changes in the property. The proposal stays in the list of rejected ones and cannot be
          reopened.
        </ConfirmDialog>
      )}
    </div>
  );
}
