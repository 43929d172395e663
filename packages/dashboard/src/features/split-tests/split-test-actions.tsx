import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { propertyPath } from '../../api.ts';
import { Icon, type IconName } from '../../ui/page/icon.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { PreviewLinks } from './preview-links.tsx';
import { RetireButton } from './retire-button.tsx';
import { hasOpenResults, isToRetire, titleOf } from './split-test-facts.ts';
import { ACTION_LABELS, type TransitionAction, useTransition } from './use-transition.tsx';
import { verdictQuery } from './verdict-query.ts';
import { attentionOf, urgentVerdict } from './verdict-summary.ts';

interface SplitTestActionsProps {
  test: SplitTest;
  hasUnsavedChanges: boolean;
}

/** The one next action stands out; everything else that is possible is beside it. */
export function SplitTestActions({ test, hasUnsavedChanges }: SplitTestActionsProps) {
  const { propertyId, missingRole } = useProperty();
  const { data } = useQuery(verdictQuery(propertyId, test));
  const transition = useTransition(test);
  const [isDeciding, decision] = useDisclosure();
  const { status } = test;
  const role = missingRole('editor');
  const unsaved = hasUnsavedChanges ? 'Save or discard your changes first' : undefined;
  const button = (action: TransitionAction, icon: IconName, isNext: boolean, reason = role) => (
    <ReasonButton
      variant={isNext ? 'filled' : 'default'}
      leftSection={<Icon name={icon} />}
      reason={reason}
      onClick={() => (action === 'stop' ? decision.open() : void transition(action))}
    >
      {ACTION_LABELS[action]}
    </ReasonButton>
  );
  const choose = (
    <ReasonButton reason={role} onClick={decision.open}>
      {test.decision === null ? 'Choose a winner' : 'Change the decision'}
    </ReasonButton>
  );
  const needsDecision = attentionOf(data) === 'decision';
  const verdict = data && urgentVerdict(data);
  return (
    <>
      {status === 'draft' && button('start', 'play', true, role ?? unsaved)}
      {status === 'running' && button('pause', 'pause', false)}
      {status === 'paused' && button('resume', 'play', !needsDecision, role ?? unsaved)}
      {hasOpenResults(test) && button('stop', 'stop', false)}
      {hasOpenResults(test) &&
        needsDecision &&
        (verdict?.decision === 'roll-back' && isToRetire(test, verdict) ? (
          <RetireButton test={test} variation={verdict.variation} />
        ) : (
          choose
        ))}
      {status === 'stopped' && test.decision === null && choose}
      {status === 'stopped' && button('archive', 'download', test.decision !== null)}
      <MoreMenu test={test} onDecide={decision.open} />
      {isDeciding && (
        <DecisionDialog test={test} verdict={data?.verdict ?? undefined} onClose={decision.close} />
      )}
    </>
  );
}

function MoreMenu({ test, onDecide }: { test: SplitTest; onDecide: () => void }) {
  const { propertyId, may } = useProperty();
  const review = useReview();
  const navigate = usePropertyNavigate();
  const transition = useTransition(test);
  const [isPreviewing, preview] = useDisclosure();
  const editor = may('editor') ? undefined : 'editor role needed';
  const remove = async () => {
    const { outcome } = await review({
      title: `Delete split test ${titleOf(test)}`,
      confirmLabel: 'Delete',
      isDestructive: true,
      method: 'DELETE',
      path: propertyPath(propertyId, 'split-tests', test.key),
      version: test.version,
      item: { type: 'split-test', key: test.key },
      impact: { type: 'split-test', key: test.key, definition: null },
    });
    if (outcome === 'saved') navigate('split-tests');
  };
  const item = (label: string, icon: IconName, reason: string | undefined, run: () => void) => (
    <Menu.Item leftSection={<Icon name={icon} />} disabled={reason !== undefined} onClick={run}>
      {label}
      {reason && ` (${reason})`}
    </Menu.Item>
  );
  const deletion = may('admin') ? (hasOpenResults(test) ? 'stop it first' : undefined) : 'admin role needed';
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {item('Preview links', 'link', undefined, preview.open)}
          {item('Duplicate', 'copy', editor, () => navigate('split-tests', { new: '1', from: test.key }))}
          {test.status === 'draft' && item('Archive', 'download', editor, () => void transition('archive'))}
          {(test.status === 'archived' || (test.status === 'stopped' && test.decision !== null)) &&
            item('Change the decision', 'check', editor, onDecide)}
          {item('Delete', 'trash', deletion, () => void remove())}
        </Menu.Dropdown>
      </Menu>
      {isPreviewing && <PreviewLinks test={test} onClose={preview.close} />}
    </>
  );
}
