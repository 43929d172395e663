import { Button, Drawer, Stack, Title } from '@mantine/core';
import type { FeedbackState } from '@switchyard/core/api/feedback';
import { useState } from 'react';
import { formatDateTime } from '../../ui/format/format.ts';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { EraseDialog, type ErasedSubject } from '../sessions/erase-dialog.tsx';
import { ErasureProgress } from '../sessions/erasure-progress.tsx';
import { AnswerLabel } from './answer-label.tsx';
import { FeedbackExposures } from './feedback-exposures.tsx';
import classes from './feedback-page.module.css';
import { FeedbackStateForm } from './feedback-state-form.tsx';
import type { FeedbackEntry } from './use-feedback.ts';

interface FeedbackDrawerProps {
  entry: FeedbackEntry;
  /** Told what was saved. */
  onChanged: (state: FeedbackState) => void;
  onClose: () => void;
}

/** One entry: what was said, by whom, what they saw, and what the team makes of it. */
export function FeedbackDrawer({ entry, onChanged, onClose }: FeedbackDrawerProps) {
  useInertBackground();
  const { feedbackTypes } = useProperty().configuration;
  const type = feedbackTypes.find(({ id }) => id === entry.feedbackTypeId);
  const { option, message, metadata, sessionId, visitorId, userId, createdAt } = entry;
  return (
    <Drawer opened position="right" size={520} title={type?.name ?? entry.feedbackTypeId} onClose={onClose}>
      <Stack>
        <AnswerLabel type={type} option={option} />
        {message !== null && <blockquote className={classes.quote}>{message}</blockquote>}
        <dl className={classes.facts}>
          <dt>Time</dt>
          <dd>{formatDateTime(createdAt)}</dd>
          {sessionId !== null && (
            <>
              <dt>Session</dt>
              <dd>
                <PropertyLink to={`sessions/${encodeURIComponent(sessionId)}`}>{sessionId}</PropertyLink>
              </dd>
            </>
          )}
          {visitorId !== null && (
            <>
              <dt>Visitor</dt>
              <dd>
                <PropertyLink to={`visitors/${encodeURIComponent(visitorId)}`}>{visitorId}</PropertyLink>
              </dd>
            </>
          )}
          {userId !== null && (
            <>
              <dt>User</dt>
              <dd>{userId}</dd>
            </>
          )}
          {Object.entries(metadata).map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>
                {value}{' '}
                <EraseButton subject={metadataSubject(name, value)} label={`Erase all with this ${name}`} />
              </dd>
            </div>
          ))}
        </dl>
        {sessionId !== null && (
          <section>
            <Title order={3} fz="sm">
              What they saw
            </Title>
            <FeedbackExposures sessionId={sessionId} until={createdAt} />
          </section>
        )}
        <FeedbackStateForm entry={entry} onChanged={onChanged} />
        <ErasureProgress />
        <EraseButton
          subject={{
            kind: 'feedback entry',
            asked: 'feedback id',
            name: entry.id,
            body: { feedbackId: entry.id },
          }}
          label="Erase this entry"
        />
      </Stack>
    </Drawer>
  );
}

const metadataSubject = (key: string, value: string): ErasedSubject => ({
  kind: `${key} of feedback and goals`,
  asked: 'value',
  name: value,
  body: { metadata: { key, value } },
});

/** For admins; everybody else sees nothing. */
function EraseButton({ subject, label }: { subject: ErasedSubject; label: string }) {
  const { may } = useProperty();
  const [isErasing, setErasing] = useState(false);
  if (!may('admin')) return null;
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setErasing(true)}>
        {label}
      </Button>
      {isErasing && <EraseDialog subject={subject} onClose={() => setErasing(false)} />}
    </>
  );
}
