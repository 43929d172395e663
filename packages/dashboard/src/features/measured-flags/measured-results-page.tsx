import { Skeleton, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { lazyPart } from '../../ui/page/lazy-part.ts';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { OpenProposals } from '../changes/open-proposals.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ruleSentence } from '../flags/environment-words.ts';
import { ItemHistory } from '../history/item-history.tsx';
import { PhaseList } from '../split-tests/phase-list.tsx';
import { phaseWords } from '../split-tests/split-test-facts.ts';
import { SplitTestStatus } from '../split-tests/split-test-status.tsx';
import { verdictQuery } from '../split-tests/verdict-query.ts';
import { attentionOf } from '../split-tests/verdict-summary.ts';
import { MeasuredFlagIcon } from './measured-flag-icon.tsx';
import { findMeasuredTest, type MeasuredTest } from './measured-tests.ts';
import { PromoteButton } from './promote-button.tsx';
import { comparedWords } from './variation-words.ts';

/** Shared with split tests. */
const MeasuredResults = lazyPart(() =>
  import('./measured-results.tsx').then((module) => module.MeasuredResults),
);

/** Which rule, in the URL; an empty tab means the results. */
const VIEW = { env: '', rule: '', tab: '' };

/** The results of a rule that is measured like a split test. */
export function MeasuredResultsPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { configuration } = useProperty();
  const [{ env, rule }] = useUrlState(VIEW);
  const environment = env || configuration.environments[0]!.id;
  const test = findMeasuredTest(configuration, key, environment, rule);
  if (test !== undefined) return <MeasuredFrame key={test.key} test={test} />;
  return (
    <Page title="No results">
      <EmptyState
        title="This rule is not measured"
        action={<PropertyLink to="split-tests">All tests and measured flags</PropertyLink>}
      >
        The flag or the rule may have been deleted. The history has its last state.
      </EmptyState>
    </Page>
  );
}

function MeasuredFrame({ test }: { test: MeasuredTest }) {
  const { propertyId } = useProperty();
  const [{ tab }, setView] = useUrlState(VIEW);
  const { data } = useQuery(verdictQuery(propertyId, test));
  const { flag, environment } = test;
  const needsDecision = attentionOf(data) === 'decision';
  return (
    <Page
      title={flag.name}
      badges={
        <>
          <span>
            <MeasuredFlagIcon />
            <SplitTestStatus test={test} />
          </span>
          <span className="dimmed">{phaseWords(test)}</span>
        </>
      }
      actions={
        <>
          <PropertyLink to={`flags/${encodeURIComponent(flag.key)}`} search={{ env: environment.id }}>
            Edit the rule
          </PropertyLink>
          {test.rule.measure && test.phases.length > 0 && (
            <PromoteButton test={test} verdict={data?.verdict} variant={needsDecision ? 'filled' : 'default'}>
              Choose a winner
            </PromoteButton>
          )}
        </>
      }
      description={<Description test={test} />}
    >
      <OpenProposals flagKey={flag.key} />
      <Tabs value={tab || 'results'} onChange={(next) => setView({ tab: next ?? '' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="results">Results</Tabs.Tab>
          <Tabs.Tab value="history">Phases &amp; history</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="results">
          <Suspense fallback={<Skeleton height={320} role="status" aria-label="Loading" />}>
            <MeasuredResults test={test} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Stack>
            <PhaseList test={test} />
            <Panel title="History of the flag">
              <ItemHistory type="flag" itemKey={flag.key} />
            </Panel>
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** Which rule it is, and who is compared with whom. */
function Description({ test }: { test: MeasuredTest }) {
  const { segments } = useProperty().configuration;
  return (
    <>
      <code>{test.flag.key}</code> · {test.place} · {ruleSentence(test.rule, segments)}
      <div>Compared: {comparedWords(test)}</div>
    </>
  );
}
