import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { formatDate } from '../../../ui/format/format.ts';
import { Panel } from '../../../ui/page/panel.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { OUTCOME_WORDS } from '../split-test-facts.ts';
import { DecisionForm } from './decision-form.tsx';
import classes from './decision-panel.module.css';

/** What was decided and learnt, for whoever asks later. */
export function DecisionPanel({ test }: { test: SplitTest }) {
  const { may } = useProperty();
  const [isEditing, setEditing] = useState(false);
  const isOver = test.status === 'stopped' || test.status === 'archived';
  const { decision, winner, hypothesis } = test;
  const needsForm = isOver && may('editor') && (isEditing || decision === null);
  return (
    <Panel
      title="Decision and learnings"
      actions={
        decision &&
        !isEditing &&
        may('editor') && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            Edit decision
          </Button>
        )
      }
    >
      {hypothesis && (
        <p className={classes.text}>
          <span className="dimmed">Hypothesis: </span>
          {hypothesis}
        </p>
      )}
      {winner && (
        <p className={classes.text}>
          <span className="dimmed">Winner: </span>
          <strong>{winner}</strong>, served to everybody until the test is archived
        </p>
      )}
      {decision && !isEditing && (
        <>
          <p className={classes.text}>
            <span className="dimmed">Decision: </span>
            <strong>{OUTCOME_WORDS[decision.outcome]}</strong>
            {decision.decidedAt !== undefined && (
              <span className="dimmed"> · {formatDate(decision.decidedAt as number)}</span>
            )}
          </p>
          <p className={classes.text}>{decision.reason}</p>
        </>
      )}
      {!isOver && (
        <Text c="dimmed">
          Nothing is decided yet. When the test is stopped, say here what was decided and why.
        </Text>
      )}
      {isOver && decision === null && (
        <p className={classes.text}>
          This test ended without a recorded decision. Write down what was decided and what you learnt, before
          it is forgotten.{!may('editor') && ' You need the editor role.'}
        </p>
      )}
      {needsForm && (
        <DecisionForm
          test={test}
          onEdit={() => setEditing(true)}
          onDone={() => setEditing(false)}
          canCancel={isEditing}
        />
      )}
    </Panel>
  );
}
