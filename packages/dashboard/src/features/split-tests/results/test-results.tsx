import { Stack, Text } from '@mantine/core';
import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import type { ReactNode } from 'react';
import { Loaded, Panel } from '../../../ui/page/panel.tsx';
import type { ReportedTest } from '../reported-test.ts';
import { BreakdownPanel } from './breakdown/breakdown-panel.tsx';
import { DecisionRulePanel } from './decision-rule-panel.tsx';
import { FeedbackPanel } from './feedback-panel.tsx';
import { GuardrailsPanel } from './goals/guardrails-panel.tsx';
import { PrimaryGoalPanel } from './goals/primary-goal-panel.tsx';
import { SecondaryGoalsPanel } from './goals/secondary-goals-panel.tsx';
import { HealthPanel } from './health-panel.tsx';
import { OverlapPanel } from './overlap/overlap-panel.tsx';
import { ReportPanel } from './report-panel.tsx';
import { ResultsBar } from './results-bar.tsx';
import type { Results, Verdict } from './results-types.ts';
import { RetiredVariations } from './retired-variations.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { StatisticsPanel } from './statistics-panel.tsx';
import { UpliftPanel } from './uplift/uplift-panel.tsx';
import { useResults } from './use-results.ts';
import { VerdictPanel } from './verdict-panel.tsx';
import { VisitorsPanel } from './visitors-panel.tsx';

interface TestResultsProps {
  /** It has started. */
  test: ReportedTest;
  /** What can be done about a verdict right here. */
  actionFor: (verdict: Verdict) => ReactNode;
  /** In place of a verdict, if nothing can be compared. */
  incomparable: ReactNode;
  /** In place of figures, while nobody is in the test. */
  empty: ReactNode;
  /** What was decided. */
  decision: ReactNode;
}

/** The results of a split test or measured rule: first the verdict, then what it is based on. */
export function TestResults({ test, actionFor, incomparable, empty, decision }: TestResultsProps) {
  const query = useResults(test);
  const results = query.data;
  const isMeasured = isMetric(test.goals[0]);
  const isEmpty = results !== undefined && hasNoVisitors(results);
  return (
    <RetiredVariations value={retiredIn(results)}>
      <Stack gap="md">
        <ResultsBar test={test} results={results} />
        <Loaded query={query} what="the results" height={420}>
          {(loaded) =>
            isEmpty ? (
              empty
            ) : (
              <Stack gap="md">
                <VerdictPanel results={loaded} actionFor={actionFor} incomparable={incomparable} />
                <CountPanels test={test} results={loaded} />
              </Stack>
            )
          }
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
        {results?.decisionRule && <DecisionRulePanel rule={results.decisionRule as DecisionRuleReport} />}
        {results && <ReportPanel test={test} results={results} />}
        {decision}
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

const isMetric = (outcome: ReportedTest['goals'][number] | undefined): boolean =>
  typeof outcome === 'object' && 'metric' in outcome;

const retiredIn = (results: Results | undefined): ReadonlySet<string> =>
  new Set(results?.variations.flatMap(({ key, retired }) => (retired ? [key] : [])));

const hasNoVisitors = ({ variations, mixedVisitors }: Results) =>
  mixedVisitors === 0 && variations.every(({ exposures, visitors }) => exposures + visitors === 0);

/** Everything that the counts alone say. */
function CountPanels({ test, results }: { test: ReportedTest; results: Results }) {
  return (
    <>
      <HealthPanel results={results} />
      <VisitorsPanel test={test} results={results} />
      <PrimaryGoalPanel results={results} />
      <GuardrailsPanel results={results} />
      <SecondaryGoalsPanel results={results} />
    </>
  );
}
