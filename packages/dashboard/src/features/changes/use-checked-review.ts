import { useEffect, useState } from 'react';
import { ApiProblem } from '../../api.ts';
import { fieldError } from '../../ui/fields/field-error.ts';
import type { ChangeRequest, ReviewOutcome } from './change-request.ts';
import { useReview } from './review-context.tsx';
import { dryRun } from './send-change.ts';

const DELAY_MS = 400;

interface CheckedReview {
  /** Checks the change; opens the review sheet unless fields are invalid. */
  save: () => Promise<ReviewOutcome>;
  isChecking: boolean;
  /** What is wrong with the field at a JSON pointer. */
  errors: (pointer: string) => string | undefined;
  /** Number of invalid fields. */
  errorCount: number;
}

/** A review of a change whose invalid fields are marked in the form. They are checked again while they are edited. */
export function useCheckedReview(change: ChangeRequest): CheckedReview {
  const review = useReview();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isChecking, setChecking] = useState(false);
  const text = JSON.stringify(change);
  const isInvalid = problem !== undefined;
  useEffect(() => {
    if (!isInvalid) return;
    const controller = new AbortController();
    const check = async () => {
      const found = await findProblem(JSON.parse(text) as ChangeRequest, controller.signal);
      if (!controller.signal.aborted) setProblem(found);
    };
    const timer = setTimeout(() => void check(), DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isInvalid, text]);
  const save = async (): Promise<ReviewOutcome> => {
    setChecking(true);
    const found = await findProblem(change);
    setChecking(false);
    setProblem(found);
    return found === undefined ? review(change) : { outcome: 'cancelled' };
  };
  return {
    save,
    isChecking,
    errors: (pointer) => fieldError(problem, pointer),
    errorCount: problem?.fields.length ?? 0,
  };
}

/** Only invalid fields: everything else is shown by the review sheet. */
async function findProblem(change: ChangeRequest, signal?: AbortSignal): Promise<ApiProblem | undefined> {
  try {
    await dryRun(change, signal);
    return undefined;
  } catch (error) {
    return error instanceof ApiProblem && error.fields.length > 0 ? error : undefined;
  }
}
