import { Text, Title } from '@mantine/core';
import { formatTime } from '../../../ui/format/format.ts';
import { Loaded, Panel } from '../../../ui/page/panel.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import type { ReportedTest } from '../reported-test.ts';
import classes from './feedback-panel.module.css';
import { VariationName } from './retired-variations.tsx';
import { useResults } from './use-results.ts';
import { VariationFeedback } from './variation-feedback.tsx';

/** What visitors of each variation said. */
export function FeedbackPanel({ test }: { test: ReportedTest }) {
  const { feedbackTypes } = useProperty().configuration;
  const query = useResults(test, { include: 'feedback' });
  return (
    <Panel title="Feedback by variation" hint={query.data ? `As of ${formatTime(query.data.asOf)}.` : ''}>
      <Loaded query={query} what="the feedback">
        {({ feedback = [], splitTestKey }) => {
          const hasAny = feedback.some(({ options, messages }) => options.length + messages.length > 0);
          if (!hasAny) return <NoFeedback hasTypes={feedbackTypes.length > 0} />;
          return (
            <div className={classes.variations}>
              {feedback.map((own) => (
                <section key={own.key} aria-label={`Feedback of ${own.key}`}>
                  <Title order={3}>
                    <VariationName name={own.key} />
                  </Title>
                  <VariationFeedback feedback={own} types={feedbackTypes} />
                  <p className={classes.all}>
                    <PropertyLink to="feedback" search={{ splitTestKey, variationKey: own.key }}>
                      All feedback of {own.key}
                    </PropertyLink>
                  </p>
                </section>
              ))}
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const NoFeedback = ({ hasTypes }: { hasTypes: boolean }) => (
  <Text c="dimmed">
    No visitor of this test has given feedback.{' '}
    {hasTypes ? (
      <PropertyLink to="feedback">Feedback types</PropertyLink>
    ) : (
      <PropertyLink to="feedback">Create a feedback type to ask for it</PropertyLink>
    )}
  </Text>
);
