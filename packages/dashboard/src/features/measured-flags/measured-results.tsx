import { Text } from '@mantine/core';
import { formatDate } from '../../ui/format/format.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { FlagSnippets } from '../flags/flag-snippets.tsx';
import { TestResults } from '../split-tests/results/test-results.tsx';
import { useRefreshOnChange } from '../split-tests/use-refresh-on-change.ts';
import type { MeasuredTest } from './measured-tests.ts';
import { PromoteButton } from './promote-button.tsx';
import { servedWords } from './variation-words.ts';

/** The results of a measured rule, in the panels of split tests. */
export function MeasuredResults({ test }: { test: MeasuredTest }) {
  useRefreshOnChange(test);
  if (test.status === 'draft') return <NoResults test={test} />;
  return (
    <TestResults
      key={test.key}
      test={test}
      actionFor={(verdict) =>
        verdict.decision === 'ship' &&
        test.status !== 'stopped' && (
          <PromoteButton size="compact-sm" test={test} verdict={verdict}>
            {`Promote “${verdict.variation}”`}
          </PromoteButton>
        )
      }
      incomparable={withoutVerdict(test)}
      empty={<NoResults test={test} />}
      decision={<Decision test={test} />}
    />
  );
}

/** Rollouts with guardrails may have no primary goal. */
function withoutVerdict(test: MeasuredTest): string {
  if (test.goals.length > 0)
    return 'A verdict compares variations with the control, and there is nothing to compare.';
  return (
    endedRollout(test)?.words ??
    'There is no primary goal, so there is no verdict: the guardrails decide about each step of the rollout.'
  );
}

/** How the last rollout with guardrails has ended. */
const endedRollout = ({ flag, environment, rule }: MeasuredTest) =>
  flag.environments[environment.id]?.measured?.find(({ ruleId }) => ruleId === rule.id)?.plan?.ended;

const STATES: Partial<Record<MeasuredTest['status'], string>> = {
  draft: 'This rule is not measured yet: the flag or the rule is off',
  paused: 'Nobody was counted before the flag or the rule was switched off',
  stopped: 'This rule was measured, and nobody was counted',
};

/** A rule without visitors: who is counted, and what will appear here. */
function NoResults({ test }: { test: MeasuredTest }) {
  return (
    <Panel title="Results">
      <EmptyState
        title={STATES[test.status] ?? 'Nobody has been counted yet'}
        snippet={test.status === 'stopped' ? undefined : <FlagSnippets flag={test.flag} isRecorded />}
      >
        <Text>
          Whoever your code asks for the flag is counted: the Node SDK reports it by itself, and requests to
          the service say so. Then you find here the verdict, the goals and guardrails, and how the uplift
          develops.
        </Text>
        <a href="/docs/guides/measured-flags#who-counts" target="_blank" rel="noreferrer">
          Who counts
        </a>
      </EmptyState>
    </Panel>
  );
}

/** What the rule serves since the measurement has ended. */
function Decision({ test }: { test: MeasuredTest }) {
  const { winner, flag, environment, phases } = test;
  const endedAt = phases.at(-1)?.endedAt;
  return (
    <Panel title="Decision">
      {test.status === 'stopped' ? (
        <p>
          {winner === null ? (
            'The measurement has ended without a winner.'
          ) : (
            <>
              <strong>{winner}</strong> won: everybody who matches gets {servedWords(test, winner)}
              {endedAt != null && `, since ${formatDate(endedAt)}`}.
            </>
          )}{' '}
          <PropertyLink
            to={`flags/${encodeURIComponent(flag.key)}`}
            search={{ tab: 'history', env: environment.id }}
          >
            The history of the flag
          </PropertyLink>{' '}
          says why.
        </p>
      ) : (
        <Text c="dimmed">
          Nothing is decided yet. Promote the winner, and everybody who matches the rule gets it.
        </Text>
      )}
    </Panel>
  );
}
