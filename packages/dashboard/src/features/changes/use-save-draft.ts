import { useState } from 'react';
import type { ChangeRequest } from './change-request.ts';
import { useCheckedReview } from './use-checked-review.ts';
import type { Draft } from './use-draft.ts';

/**
 * Saves a draft after a review; invalid fields are marked instead.
 * @param toDraft the document of the server as a draft
 */
export function useSaveDraft<T extends object>(
  draft: Draft<T>,
  change: ChangeRequest,
  onSaved?: () => void,
  toDraft = (merged: object) => merged as T,
) {
  const [message, setMessage] = useState('');
  const { save: review, ...checked } = useCheckedReview({ ...change, version: draft.baseVersion });
  const save = async () => {
    setMessage('');
    const result = await review();
    if (result.outcome === 'saved') {
      draft.discard();
      onSaved?.();
    } else if (result.outcome === 'proposed') {
      draft.discard();
      setMessage('Your change is proposed. It takes effect when an admin approves it.');
    } else if (result.outcome === 'rebased') {
      const current = result.current as T & { version?: number };
      draft.rebase(current, current.version, toDraft(result.merged as object));
      setMessage('Your changes are now based on the newest version. Look at them once more, then save.');
    }
  };
  return {
    ...checked,
    save,
    /** What happened to the change, if it is neither saved nor cancelled. */
    message,
  };
}
