import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatPercent, plural } from '../../../ui/format/format.ts';
import { RelativeTime } from '../../../ui/format/relative-time.tsx';
import type { FeedbackType } from '../../configuration/configuration-types.ts';
import { optionValue, presentationOf } from '../../feedback/feedback-options.ts';
import classes from './feedback-panel.module.css';
import type { Results } from './results-types.ts';

type Feedback = NonNullable<Results['feedback']>[number];

const FIRST_MESSAGES = 3;

interface VariationFeedbackProps {
  feedback: Feedback;
  types: readonly FeedbackType[];
}

/** Shares of the options, and the latest messages. */
export function VariationFeedback({ feedback, types }: VariationFeedbackProps) {
  const used = [...new Set(feedback.options.map(({ feedbackTypeId }) => feedbackTypeId))];
  if (feedback.options.length + feedback.messages.length === 0) return <Text c="dimmed">Nothing yet.</Text>;
  return (
    <>
      {used.map((id) => (
        <OptionShares
          key={id}
          id={id}
          type={types.find((type) => type.id === id)}
          counts={feedback.options.filter(({ feedbackTypeId }) => feedbackTypeId === id)}
        />
      ))}
      <Messages messages={feedback.messages} types={types} />
    </>
  );
}

interface OptionSharesProps {
  id: string;
  type: FeedbackType | undefined;
  counts: Feedback['options'];
}

function OptionShares({ id, type, counts }: OptionSharesProps) {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const order = (type?.options ?? []).map(optionValue);
  const rank = (option: string) => (order.indexOf(option) + order.length + 1) % (order.length + 1);
  return (
    <>
      <p className={classes.type}>
        {type?.name ?? id} · {plural(total, 'answer')}
      </p>
      <ul className={classes.options}>
        {counts
          .toSorted((a, b) => rank(a.option) - rank(b.option))
          .map(({ option, count }) => {
            const { label, color } = presentationOf(type, option);
            return (
              <li key={option}>
                <span
                  className={classes.share}
                  style={{ width: `${(100 * count) / total}%`, ...(color && { borderColor: color }) }}
                />
                <span>{label}</span>
                <span>
                  {formatPercent(count / total)} <span className="dimmed">{formatCount(count)}</span>
                </span>
              </li>
            );
          })}
      </ul>
    </>
  );
}

function Messages({ messages, types }: { messages: Feedback['messages']; types: readonly FeedbackType[] }) {
  const [isAll, setAll] = useState(false);
  if (messages.length === 0) return null;
  return (
    <>
      <ul className={classes.messages} aria-label="Latest messages">
        {(isAll ? messages : messages.slice(0, FIRST_MESSAGES)).map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id, and the list only grows at its end
          <li key={index}>
            {each.message}
            <span className={classes.meta}>
              {each.option !== null &&
                `${
                  presentationOf(
                    types.find(({ id }) => id === each.feedbackTypeId),
                    each.option,
                  ).label
                } · `}
              <RelativeTime at={each.createdAt} />
            </span>
          </li>
        ))}
      </ul>
      {!isAll && messages.length > FIRST_MESSAGES && (
        <Button size="compact-xs" variant="default" mb={6} onClick={() => setAll(true)}>
          Show {formatCount(messages.length - FIRST_MESSAGES)} more
        </Button>
      )}
    </>
  );
}
