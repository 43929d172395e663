import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import type { ResultsExportQuery, SplitTestResultsQuery } from '@switchyard/core/api/results/results-queries';
import type { PlanQuery } from '@switchyard/core/api/test-plan';
import type { AudienceInForce } from '@switchyard/core/lifecycle/phases';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { AaScope } from './aa-scope.ts';
import type { ChecklistScope } from './decision/checklist-scope.ts';
import type { AudienceInput, EvaluationInput } from './evaluated-flags.ts';
import type { HoldoutScope } from './holdout-scope.ts';
import type { ImpactScope } from './impact-scope.ts';
import type { LibraryScope } from './library/library-scope.ts';
import type { OverlapScope } from './overlap/overlap-scope.ts';
import type { PreviewedMetric } from './plan/metric-preview.ts';
import type { PlannedOutcome } from './plan/planned-outcome.ts';
import type { PlannedGuardrail } from './plan/test-plan.ts';
import type { BundleDefinition } from './report-bundle.ts';
import type { ReportScope } from './report-scope.ts';
import type { ConfiguredRollout } from './rollout/rollout-response.ts';
import type { RolloutScope } from './rollout/rollout-scope.ts';
import type { SessionFlagValuesInput } from './session-flag-values.ts';

/** A report that the serving thread requests from the report thread. */
export type ReportRequest =
  | {
      type: 'results';
      scope: ReportScope;
      /** Undefined for measured rules. */
      decisionRule: DecisionRuleReport | undefined;
      options: Pick<SplitTestResultsQuery, 'bots' | 'by' | 'include' | 'fresh'>;
    }
  /** Only verdict and health, as a small response for the serving thread. */
  | { type: 'verdict'; scope: ReportScope }
  /** What a test with `onHarm: stop` has to stop. */
  | { type: 'harm'; scope: ReportScope }
  /** What to do with a rollout that has guardrails. */
  | { type: 'rollout'; scope: RolloutScope }
  | { type: 'rollout-report'; scope: RolloutScope; configured: ConfiguredRollout }
  | { type: 'csv'; scope: ReportScope; bots: ResultsExportQuery['bots'] }
  | {
      type: 'bundle';
      scope: ReportScope;
      bots: ResultsExportQuery['bots'];
      definition: BundleDefinition;
      /** Undefined for measured rules. */
      decisionRule: DecisionRuleReport | undefined;
    }
  | {
      type: 'plan';
      property: Pick<PropertyConfiguration, 'id' | 'statistics' | 'timeZone' | 'displayCurrency'>;
      outcome: PlannedOutcome;
      guardrails: readonly PlannedGuardrail[];
      /** Undefined for all visitors. */
      audience: AudienceInForce | undefined;
      query: PlanQuery;
    }
  | { type: 'start-checklist'; scope: ChecklistScope }
  | {
      type: 'metric-preview';
      property: Pick<PropertyConfiguration, 'id' | 'statistics' | 'displayCurrency'>;
      metric: PreviewedMetric;
    }
  | { type: 'aa-test'; scope: AaScope }
  | { type: 'holdout'; scope: HoldoutScope; fresh: boolean }
  | { type: 'overlap'; scope: OverlapScope; fresh: boolean }
  | { type: 'library'; scope: LibraryScope }
  | { type: 'impact'; scope: ImpactScope }
  | ({ type: 'flag-explanation'; key: string } & EvaluationInput)
  | ({ type: 'audience-explanation' } & AudienceInput)
  | ({ type: 'flag-values' } & EvaluationInput)
  | ({ type: 'session-flag-values' } & SessionFlagValuesInput);

/** What the report thread is asked for. */
export interface ReportMethods<Request = ReportRequest> {
  /** @param changes increases whenever query results may have changed */
  run(request: Request, changes: number): ReportBody;
}

/** A finished response. */
export interface ReportBody {
  contentType: string;
  body: Uint8Array;
}
