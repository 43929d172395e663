import { Button, Select } from '@mantine/core';
import type { Explanation } from '@switchyard/core/api/explanations';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { propertyPath, request } from '../../api.ts';
import { DateTimeField } from '../../ui/fields/date-time-field.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { ExplanationSteps } from '../explanations/explanation-steps.tsx';
import classes from './session-page.module.css';

export interface Question {
  type: 'flag' | 'split-test';
  key: string;
  at: number;
  environment?: string;
}

interface WhyPanelProps {
  subject: { sessionId: string } | { visitorId: string };
  /** The moment, unless another one is chosen. */
  defaultAt: number;
  /** Asked from elsewhere on the page. */
  question?: Question | undefined;
}

/** Why a visitor saw a variation or a value, with the definitions of that moment. */
export function WhyPanel({ subject, defaultAt, question }: WhyPanelProps) {
  const { configuration } = useProperty();
  const [item, setItem] = useState(question ? `${question.type}:${question.key}` : null);
  const [at, setAt] = useState<number | undefined>(question?.at ?? defaultAt);
  const [environment, setEnvironment] = useState(question?.environment ?? 'production');
  const [asked, setAsked] = useState<Question | undefined>(question);
  const [type, ...key] = item?.split(':') ?? [];
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (question) showHeading(panel.current!);
  }, [question]);
  const ask = () => {
    if (item !== null)
      setAsked({ type: type as Question['type'], key: key.join(':'), at: at ?? Date.now(), environment });
  };
  return (
    <div ref={panel} className={classes.why}>
      <Panel
        title="Why did this visitor see this?"
        hint="For any test or flag at any moment, with the definitions of that moment."
      >
        <div className={classes.form}>
          <Select
            size="xs"
            label="Test or flag"
            placeholder="Choose"
            searchable
            data={[
              {
                group: 'Split tests',
                items: configuration.splitTests.map((test) => ({
                  value: `split-test:${test.key}`,
                  label: test.name || test.key,
                })),
              },
              {
                group: 'Flags',
                items: configuration.flags.map((flag) => ({
                  value: `flag:${flag.key}`,
                  label: flag.name || flag.key,
                })),
              },
            ]}
            value={item}
            onChange={setItem}
          />
          <DateTimeField size="xs" label="Moment" value={at} onChange={setAt} />
          {type === 'flag' && (
            <Select
              size="xs"
              label="Environment"
              allowDeselect={false}
              data={configuration.environments.map(({ id, name }) => ({ value: id, label: name }))}
              value={environment}
              onChange={(value) => setEnvironment(value!)}
            />
          )}
          <Button
            size="xs"
            onClick={ask}
            disabled={item === null}
            title={item === null ? 'Choose a test or flag' : ''}
          >
            Explain
          </Button>
        </div>
        {asked && <Answer subject={subject} question={asked} />}
      </Panel>
    </div>
  );
}

/** The button that asked may be far below. */
function showHeading(panel: HTMLElement): void {
  const heading = panel.querySelector('h2')!;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  panel.scrollIntoView({ block: 'start' });
}

function Answer({ subject, question }: { subject: WhyPanelProps['subject']; question: Question }) {
  const { propertyId } = useProperty();
  const { type, key, at, environment } = question;
  const explanation = useQuery({
    queryKey: ['explanation', propertyId, subject, question],
    queryFn: ({ signal }) =>
      request<Explanation>(propertyPath(propertyId, 'explanations'), {
        method: 'POST',
        body: {
          type,
          key,
          ...subject,
          at: new Date(at).toISOString(),
          ...(type === 'flag' && environment && { environment }),
        },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={explanation} what="the explanation">
      {(data) => <ExplanationSteps explanation={data} />}
    </Loaded>
  );
}
