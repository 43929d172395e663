import { Alert, Button, Drawer, Group, Skeleton, Stack, Title } from '@mantine/core';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ApiProblem, isTemporary } from '../../api.ts';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { Icon } from '../../ui/page/icon.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { findReported } from '../split-tests/reported-tests.ts';
import { longTitleOf } from '../split-tests/split-test-facts.ts';
import { ChangeProblem } from './change-problem.tsx';
import type { ChangeRequest, DryRunResult, ReviewOutcome } from './change-request.ts';
import { ConflictView } from './conflict-view.tsx';
import { ImpactPanel } from './impact-panel.tsx';
import { dryRun, sendChange } from './send-change.ts';
import { summaryLines } from './summary-lines.ts';

export interface ReviewSheetProps {
  change: ChangeRequest;
  onFinish: (outcome: ReviewOutcome) => void;
}

/** The last look before a change is made: what changes, what follows from it, who is affected, and why. */
export function ReviewSheet({ change, onFinish }: ReviewSheetProps) {
  useInertBackground();
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const [comment, setComment] = useState(change.comment ?? '');
  const check = useQuery({
    queryKey: ['dry-run', useId()],
    queryFn: ({ signal }) => dryRun(change, signal),
    gcTime: 0,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const save = useMutation({
    mutationFn: () => sendChange(client, propertyId, change, comment),
    onSuccess: onFinish,
  });
  const isCommentNeeded = useProtected(change, check.data);
  const problem = save.error ?? check.error;
  const isConflict = problem instanceof ApiProblem && problem.code === 'version_conflict';
  const blocked = blockedReason(check.isPending, problem, isCommentNeeded, comment);
  const isSaving = save.isPending;
  // A request that is on its way cannot be called back.
  const cancel = () => isSaving || onFinish({ outcome: 'cancelled' });
  return (
    <Drawer
      opened
      position="right"
      size={560}
      title={change.title}
      onClose={cancel}
      closeOnClickOutside={!isSaving}
      closeOnEscape={!isSaving}
      closeButtonProps={{ disabled: isSaving, 'aria-label': 'Close' }}
    >
      <Stack>
        {change.consequence && !isConflict && <p>{change.consequence}</p>}
        {check.isPending && <Skeleton height={80} role="status" aria-label="Checking the change" />}
        {check.data && !isConflict && (
          <Differences result={check.data} item={change.item ?? { type: 'property', key: propertyId }} />
        )}
        {isConflict ? (
          <ConflictView change={change} problem={problem} onFinish={onFinish} />
        ) : (
          problem && <ChangeProblem problem={problem} />
        )}
        {check.data && !isConflict && change.details}
        {change.impact && check.data && !isConflict && <ImpactPanel impact={change.impact} />}
        {!isConflict && (
          <>
            <TextArea
              label="Comment"
              description={
                isCommentNeeded ? 'Required in a protected environment' : 'Why? Shown in the history'
              }
              required={isCommentNeeded}
              maxLength={500}
              rows={2}
              value={comment}
              onChange={setComment}
            />
            <Group justify="flex-end">
              <Button variant="default" disabled={isSaving} onClick={cancel}>
                Cancel
              </Button>
              <ReasonButton
                reason={blocked}
                onClick={() => save.mutate()}
                {...(change.isDestructive && { color: 'red' })}
                loading={isSaving}
                data-autofocus
              >
                {confirmLabel(change, check.data)}
              </ReasonButton>
            </Group>
            <p className="dimmed" role="status">
              {isSaving ? 'Saving …' : blocked}
            </p>
          </>
        )}
      </Stack>
    </Drawer>
  );
}

const confirmLabel = (change: ChangeRequest, result: DryRunResult | undefined) =>
  result?.needsApproval?.length ? 'Propose' : (change.confirmLabel ?? 'Save');

/** A disabled button says why. */
function blockedReason(
  isChecking: boolean,
  problem: Error | null,
  isCommentNeeded: boolean,
  comment: string,
): string | undefined {
  if (isChecking) return 'Checking the change …';
  if (isCommentNeeded && comment.trim() === '') return 'Add a comment to save in a protected environment.';
  return problem && !isTemporary(problem) ? 'Fix the problem above first.' : undefined;
}

function useProtected(change: ChangeRequest, result: DryRunResult | undefined): boolean {
  const { environments } = useProperty().configuration;
  if (result?.needsApproval?.length) return true;
  const touched = new Set(change.environments ?? environmentsOf(result));
  return environments.some((each) => each.protected && touched.has(each.id));
}

/** From pointers like `/environments/production/rules`. */
function environmentsOf(result: DryRunResult | undefined): string[] {
  const pointers = result?.changes.map(({ pointer }) => pointer.split('/')) ?? [];
  return pointers.flatMap(([, first, id]) => (first === 'environments' && id !== undefined ? [id] : []));
}

function Differences({ result, item }: { result: DryRunResult; item: { type: string; key: string } }) {
  const lines = summaryLines(result.summary, item);
  return (
    <>
      <section>
        <Title order={2} mb={4}>
          What changes
        </Title>
        {lines.length === 0 ? (
          <p className="dimmed">Nothing changes.</p>
        ) : (
          <ul className="bullets">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </section>
      {result.opensPhase?.map((opened) => (
        <OpenedPhase key={JSON.stringify(opened)} {...opened} />
      ))}
      {result.warnings.map((warning) => (
        <Alert key={warning} color="orange" icon={<Icon name="warning" />}>
          {warning}
        </Alert>
      ))}
      {result.needsApproval?.length ? (
        <Alert color="blue" icon={<Icon name="lock" />} title="Needs approval">
          {result.needsApproval.join(', ')} is protected: your change becomes a proposal that an admin
          approves.
        </Alert>
      ) : null}
    </>
  );
}

/** The results of a split test or measured rule start over. */
function OpenedPhase({
  splitTest,
  measuredRule,
  phase,
  reasons,
}: NonNullable<DryRunResult['opensPhase']>[number]) {
  const { configuration } = useProperty();
  const key = measuredRule === undefined ? splitTest! : measuredKey(measuredRule);
  const test = findReported(configuration, key);
  const name = test?.measuredRule === undefined ? `“${splitTest}”` : `measured flag ${longTitleOf(test)}`;
  return (
    <Alert color="orange" icon={<Icon name="warning" />} title="Results start over">
      This opens phase {phase} of {name} ({reasons.join(', ')}). Visitors and conversions so far stay with the
      earlier phase.
    </Alert>
  );
}
