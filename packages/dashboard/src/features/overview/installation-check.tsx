import { Button } from '@mantine/core';
import type { TrafficReceived } from '@switchyard/core/api/traffic';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../../api.ts';
import { readStored, writeStored } from '../../stored-text.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';
import { BrowserSnippet } from '../configuration/browser-snippet.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './overview-page.module.css';

const REFRESH_MS = 5000;
/** Then nobody is likely to wait for the first event any more. */
const SLOW_AFTER_MS = 5 * 60_000;
const SLOW_REFRESH_MS = 60_000;

/** What the server has received so far, and how to send what is missing. Disappears once everything has arrived. */
export function InstallationCheck() {
  const { propertyId } = useProperty();
  const storageKey = `switchyard:installed:${propertyId}`;
  const [isDismissed, setDismissed] = useState(readStored(storageKey) !== undefined);
  const [openedAt] = useState(Date.now);
  const received = useQuery({
    queryKey: ['traffic', propertyId, 'received'],
    queryFn: ({ signal }) =>
      request<TrafficReceived>('/v1/traffic/received', { query: { propertyId }, signal }),
    enabled: !isDismissed,
    refetchInterval: ({ state }) =>
      !isComplete(state.data) && (Date.now() - openedAt < SLOW_AFTER_MS ? REFRESH_MS : SLOW_REFRESH_MS),
  });
  if (isDismissed || received.isPending || isComplete(received.data)) return null;
  return (
    <Panel
      title="Installation check"
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            writeStored(storageKey, 'dismissed');
            setDismissed(true);
          }}
        >
          Dismiss
        </Button>
      }
      hint="Looks for new events every few seconds, after a while every minute. Snippets contain the public key of this property; for goals and feedback, put in a secret key and call them from your server."
    >
      <Loaded query={received} what="the received events">
        {(data) => (
          <ol className={classes.list}>
            <Step name="First session" times={data.session}>
              <BrowserSnippet />
            </Step>
            <Step name="First exposure to a split test" times={data.exposure}>
              <ExposureSnippet />
            </Step>
            <Step name="First goal" times={data.goal}>
              <GoalSnippet />
            </Step>
            <Step name="First feedback" times={data.feedback}>
              <FeedbackSnippet />
            </Step>
          </ol>
        )}
      </Loaded>
    </Panel>
  );
}

const isComplete = (data: TrafficReceived | undefined) =>
  data !== undefined && Object.values(data).every((times) => times !== null);

interface StepProps {
  name: string;
  times: TrafficReceived['session'];
  children: ReactNode;
}

function Step({ name, times, children }: StepProps) {
  return (
    <li className={classes.step}>
      <span className={times ? 'good' : 'dimmed'}>
        <Icon name={times ? 'check' : 'info'} />
      </span>
      <div className={classes.stepContent}>
        <strong>{name}</strong>{' '}
        <span className="dimmed">
          {times ? (
            <>
              received, the last one <RelativeTime at={times.last} />
            </>
          ) : (
            'not received yet'
          )}
        </span>
        {!times && (
          <details>
            <summary>Show how</summary>
            {children}
          </details>
        )}
      </div>
    </li>
  );
}

function ExposureSnippet() {
  const { configuration } = useProperty();
  const test = configuration.splitTests.find(({ status }) => status === 'running');
  if (test === undefined) {
    return (
      <p>
        <PropertyLink to="split-tests">Create and start a split test</PropertyLink> first.
      </p>
    );
  }
  return <BrowserSnippet use={`const value = client.splitTest.get('${test.key}', 'fallback');`} />;
}

const post = (path: string, body: object) =>
  `curl ${location.origin}${path} \\
  -H 'x-api-key: service_sec_…' -H 'content-type: application/json' \\
  -d '${JSON.stringify(body)}'`;

function GoalSnippet() {
  const { propertyId, configuration } = useProperty();
  const [goal] = configuration.goals;
  if (goal === undefined) {
    return (
      <p>
        <PropertyLink to="goals">Create a goal</PropertyLink> first.
      </p>
    );
  }
  const body = { propertyId, goalId: goal.id, ...(goal.kind === 'revenue' && { amount: 49.9 }) };
  return <Snippet label="the request for a goal" code={post('/v1/goals/increment', body)} />;
}

function FeedbackSnippet() {
  const { propertyId, configuration } = useProperty();
  const [type] = configuration.feedbackTypes;
  if (type === undefined) {
    return (
      <p>
        <PropertyLink to="feedback">Create a feedback type</PropertyLink> first.
      </p>
    );
  }
  const [option] = type.options;
  const value = typeof option === 'string' ? option : option?.value;
  const body = { propertyId, feedbackTypeId: type.id, ...(value ? { option: value } : { message: 'Nice!' }) };
  return <Snippet label="the request for feedback" code={post('/v1/feedback/submit', body)} />;
}
