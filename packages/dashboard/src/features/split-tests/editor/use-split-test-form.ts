import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiProblem, propertyPath } from '../../../api.ts';
import { fieldError } from '../../../ui/fields/field-error.ts';
import type { ChangeRequest } from '../../changes/change-request.ts';
import { useReview } from '../../changes/review-context.tsx';
import { dryRun } from '../../changes/send-change.ts';
import type { Draft } from '../../changes/use-draft.ts';
import { useDraftOutcome } from '../../changes/use-draft-outcome.ts';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { titleOf } from '../split-test-facts.ts';
import { draftProblems } from './draft-problems.ts';
import { bodyOf, type SplitTestDraft } from './split-test-draft.ts';

export interface SplitTestForm {
  value: SplitTestDraft;
  change: (changes: Partial<SplitTestDraft>) => void;
  /** What is wrong with a field, by JSON pointer. */
  errorAt: (pointer: string) => string | undefined;
  /** The saved test; undefined for a new one. */
  stored: SplitTest | undefined;
}

interface SavingForm extends SplitTestForm {
  save: () => Promise<void>;
  /** Why the server refused the change. */
  refused: ApiProblem | undefined;
  /** How many fields have to be fixed after an attempt to save. */
  openProblems: number;
  /** What happened to the change, if it is neither saved nor cancelled. */
  message: string;
}

/** Checks a draft, and saves it after a review. Invalid fields get the focus instead. */
export function useSplitTestForm(
  draft: Draft<SplitTestDraft>,
  stored: SplitTest | undefined,
  onSaved?: (test: SplitTest) => void,
): SavingForm {
  const { configuration } = useProperty();
  const { value } = draft;
  const { save: saveDraft, message } = useSave(draft, stored, onSaved);
  const [attempts, setAttempts] = useState(0);
  const [refused, setRefused] = useState<{ problem: ApiProblem; value: SplitTestDraft }>();
  useFocusOnInvalidField(attempts);
  const otherKeys = useMemo(
    () => new Set(stored ? [] : configuration.splitTests.map(({ key }) => key)),
    [stored, configuration.splitTests],
  );
  const problems = useMemo(() => draftProblems(value, otherKeys), [value, otherKeys]);
  const errorAt = (pointer: string) => {
    const own = problems.find((each) => each.pointer === pointer && (!each.isMissing || attempts > 0));
    if (own) return own.detail;
    const field = pointer.split('/')[1] as keyof SplitTestDraft;
    // What the server said is no longer true once the field has changed.
    const isCurrent = refused !== undefined && refused.value[field] === value[field];
    return isCurrent ? fieldError(refused.problem, pointer) : undefined;
  };
  const save = async () => {
    if (problems.length === 0) {
      const problem = await saveDraft();
      setRefused(problem && { problem, value });
      if (problem === undefined) return;
    }
    setAttempts((count) => count + 1);
  };
  return {
    value,
    change: draft.change,
    errorAt,
    stored,
    save,
    message,
    refused: refused?.value === value ? refused.problem : undefined,
    openProblems: attempts > 0 ? problems.length : 0,
  };
}

function useSave(
  draft: Draft<SplitTestDraft>,
  stored: SplitTest | undefined,
  onSaved?: (test: SplitTest) => void,
) {
  const { propertyId } = useProperty();
  const review = useReview();
  // A test without a name is sent without it.
  const { finish, message } = useDraftOutcome(
    draft,
    (document) => ({ name: '', ...document }) as SplitTestDraft,
  );
  /** Returns why the server refuses the change; a conflict is shown by the review. */
  const save = async (): Promise<ApiProblem | undefined> => {
    const { value } = draft;
    const body = bodyOf(value);
    const change: ChangeRequest = {
      title: `${stored ? 'Save' : 'Create'} split test ${titleOf(value)}`,
      method: 'PUT',
      path: propertyPath(propertyId, 'split-tests', value.key),
      body,
      version: draft.baseVersion,
      item: { type: 'split-test', key: value.key },
      impact: { type: 'split-test', key: value.key, definition: body },
    };
    const problem = await dryRun(change).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (problem instanceof ApiProblem && problem.code !== 'version_conflict') return problem;
    const result = await finish(review(change));
    if (result.outcome === 'saved') onSaved?.(result.response as SplitTest);
    return undefined;
  };
  return { save, message };
}

function useFocusOnInvalidField(attempts: number): void {
  const handled = useRef(0);
  useEffect(() => {
    if (attempts === handled.current) return;
    handled.current = attempts;
    document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus();
  }, [attempts]);
}
