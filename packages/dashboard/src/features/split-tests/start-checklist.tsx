import { Button, Skeleton, Title } from '@mantine/core';
import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import type {
  StartChecklist as Checklist,
  ChecklistItem,
} from '@switchyard/core/api/decision/start-checklist';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { messageOf, propertyPath, request } from '../../api.ts';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { StateTag, type Tone } from './results/state-tag.tsx';
import { RuleSentences } from './rule-sentences.tsx';
import classes from './start-checklist.module.css';

/** What is known about a test that has no visitors yet. */
export function useChecklist({ key }: SplitTest, options: { staleTime: number }) {
  const { propertyId } = useProperty();
  return useQuery({
    queryKey: ['start-checklist', useId()],
    queryFn: ({ signal }) =>
      request<Checklist>(propertyPath(propertyId, 'split-tests', key, 'start-checklist'), { signal }),
    retry: false,
    gcTime: 0,
    ...options,
  });
}

/** The last look before a start: how the test will be decided, and what may be wrong. The start never waits for it. */
export function StartChecklist({ test }: { test: SplitTest }) {
  const checklist = useChecklist(test, { staleTime: Number.POSITIVE_INFINITY });
  const { data, error, isFetching } = checklist;
  if (data) {
    return (
      <>
        <section>
          <Title order={2} mb={4}>
            How this test is decided
          </Title>
          <RuleSentences rule={data.decisionRule as DecisionRuleReport} />
          <p className="dimmed">
            This rule is fixed when the test starts. What is changed later is marked in the results.
          </p>
        </section>
        <section>
          <Title order={2} mb={4}>
            Before the start
          </Title>
          <ChecklistItems items={data.items} />
        </section>
      </>
    );
  }
  return (
    <section aria-busy={isFetching}>
      <Title order={2} mb={4}>
        How this test is decided
      </Title>
      {error && !isFetching ? (
        <p className="dimmed" role="status">
          The checklist could not be loaded: {messageOf(error)}{' '}
          <Button size="compact-xs" variant="default" onClick={() => void checklist.refetch()}>
            Try again
          </Button>
        </p>
      ) : (
        <Skeleton height={280} role="status" aria-label="Loading the checklist" />
      )}
    </section>
  );
}

const STATES: Record<ChecklistItem['state'], { tone: Tone; label: string }> = {
  ok: { tone: 'good', label: 'OK' },
  warning: { tone: 'warn', label: 'Look again' },
  unknown: { tone: 'dimmed', label: 'Not known' },
  problem: { tone: 'bad', label: 'Problem' },
};

export const ChecklistItems = ({ items }: Pick<Checklist, 'items'>) => (
  <ul className={classes.items} aria-label="Checklist">
    {items.map((item) => (
      <Item key={item.id} item={item} />
    ))}
  </ul>
);

function Item({ item: { state, title, words, link } }: { item: ChecklistItem }) {
  const { tone, label } = STATES[state];
  return (
    <li>
      <StateTag tone={tone}>{label}</StateTag>
      <div>
        <strong>{title}</strong>
        <p>
          {words}{' '}
          {link && state !== 'ok' && (
            <a href={link} target="_blank" rel="noopener" aria-label={`Look into it: ${title}`}>
              Look into it
            </a>
          )}
        </p>
      </div>
    </li>
  );
}
