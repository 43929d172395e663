import { useState } from 'react';
import type { ReviewOutcome } from './change-request.ts';
import type { Draft } from './use-draft.ts';

/**
 * What the review of a draft means for the draft: a saved one ends, a conflict goes on with the newest version.
 * @param toDraft the document of the server, or what was sent to it, as a draft
 */
export function useDraftOutcome<T extends object>(
  draft: Draft<T>,
  toDraft = (document: object) => document as T,
) {
  const [message, setMessage] = useState('');
  const finish = async (review: Promise<ReviewOutcome>): Promise<ReviewOutcome> => {
    setMessage('');
    const result = await review;
    if (result.outcome === 'saved' || result.outcome === 'proposed') draft.discard();
    if (result.outcome === 'proposed') {
      setMessage('Your change is proposed. It takes effect when an admin approves it.');
    }
    if (result.outcome === 'rebased') {
      const current = result.current as { version?: number };
      draft.rebase(toDraft(current), current.version, toDraft(result.merged));
      setMessage('Your changes are now based on the newest version. Look at them once more, then save.');
    }
    return result;
  };
  return {
    finish,
    /** What happened to the change, if it is neither saved nor cancelled. */
    message,
  };
}
