import { Stack, Text } from '@mantine/core';
import { Loaded, Panel } from '../../../ui/page/panel.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { BreakdownPanel } from './breakdown/breakdown-panel.tsx';
import { DecisionPanel } from './decision-panel.tsx';
import { DecisionRulePanel } from './decision-rule-panel.tsx';
import { FeedbackPanel } from './feedback-panel.tsx';
import { GuardrailsPanel } from './goals/guardrails-panel.tsx';
import { PrimaryGoalPanel } from './goals/primary-goal-panel.tsx';
import { SecondaryGoalsPanel } from './goals/secondary-goals-panel.tsx';
import { HealthPanel } from './health-panel.tsx';
import { NoResults } from './no-results.tsx';
import { OverlapPanel } from './overlap/overlap-panel.tsx';
import { ReportPanel } from './report-panel.tsx';
import { ResultsBar } from './results-bar.tsx';
import type { Results } from './results-types.ts';
import { RetiredVariations } from './retired-variations.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { StatisticsPanel } from './statistics-panel.tsx';
import { UpliftPanel } from './uplift/uplift-panel.tsx';
import { useResults } from './use-results.ts';
import { VerdictPanel } from './verdict-panel.tsx';
import { VisitorsPanel } from './visitors-panel.tsx';

/** The results of a split test: first the verdict, then what it is based on. */
export function SplitTestResults({ test }: { test: SplitTest }) {
  if (test.status === 'draft') return <NoResults test={test} />;
  return <StartedResults key={test.key} test={test} />;
}

function StartedResults({ test }: { test: SplitTest }) {
  const query = useResults(test);
  const results = query.data;
  const isMeasured = isMetric(test.goals[0]);
  const isEmpty = results !== undefined && hasNoVisitors(results);
  return (
    <RetiredVariations value={retiredIn(results)}>
      <Stack gap="md">
        <ResultsBar test={test} results={results} />
        <Loaded query={query} what="the results" height={420}>
          {(loaded) => (isEmpty ? <NoResults test={test} /> : <MainPanels test={test} results={loaded} />)}
        </Loaded>
        {!isEmpty && (
          <>
            {!isMeasured && <UpliftPanel test={test} />}
            <FeedbackPanel test={test} />
            {results && <SessionsPanel results={results} />}
            {isMeasured ? <GoalsOnly /> : <BreakdownPanel test={test} />}
            <OverlapPanel test={test} />
            {results && <StatisticsPanel results={results} />}
          </>
        )}
        {results && <DecisionRulePanel results={results} />}
        {results && <ReportPanel results={results} />}
        <DecisionPanel test={test} />
      </Stack>
    </RetiredVariations>
  );
}

/** Instead of the panels by day and by group. */
const GoalsOnly = () => (
  <Panel title="By day and by group">
    <Text c="dimmed">
      Only goals are compared by day and by group; the primary goal of this test is a metric.
    </Text>
  </Panel>
);

const isMetric = (outcome: SplitTest['goals'][number] | undefined): boolean =>
  typeof outcome === 'object' && 'metric' in outcome;

const retiredIn = (results: Results | undefined): ReadonlySet<string> =>
  new Set(results?.variations.flatMap(({ key, retired }) => (retired ? [key] : [])));

const hasNoVisitors = ({ variations, mixedVisitors }: Results) =>
  mixedVisitors === 0 && variations.every(({ exposures, visitors }) => exposures + visitors === 0);

/** Everything that the counts alone say. */
function MainPanels({ test, results }: { test: SplitTest; results: Results }) {
  return (
    <Stack gap="md">
      <VerdictPanel test={test} results={results} />
      <HealthPanel results={results} />
      <VisitorsPanel test={test} results={results} />
      <PrimaryGoalPanel results={results} />
      <GuardrailsPanel results={results} />
      <SecondaryGoalsPanel results={results} />
    </Stack>
  );
}
