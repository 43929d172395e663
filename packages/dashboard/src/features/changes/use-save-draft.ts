import type { ChangeRequest } from './change-request.ts';
import { useCheckedReview } from './use-checked-review.ts';
import type { Draft } from './use-draft.ts';
import { useDraftOutcome } from './use-draft-outcome.ts';

/**
 * Saves a draft after a review; invalid fields are marked instead.
 * @param toDraft the document of the server as a draft
 */
export function useSaveDraft<T extends object>(
  draft: Draft<T>,
  change: ChangeRequest,
  onSaved?: () => void,
  toDraft?: (document: object) => T,
) {
  const { finish, message } = useDraftOutcome(draft, toDraft);
  const { save: review, ...checked } = useCheckedReview({ ...change, version: draft.baseVersion });
  const save = async () => {
    const { outcome } = await finish(review());
    if (outcome === 'saved') onSaved?.();
  };
  return { ...checked, save, message };
}
