import type { ResultsExportQuery, SplitTestResultsQuery } from '@switchyard/core/api/results';
import type { PlanQuery } from '@switchyard/core/api/test-plan';
import type { Goal, PropertyConfiguration } from '../../storage/property-configuration.ts';
import type { BundleDefinition } from './report-bundle.ts';
import type { ReportScope } from './report-scope.ts';

/** What the serving thread asks of the report thread. */
export type ReportRequest =
  | {
      type: 'results';
      scope: ReportScope;
      options: Pick<SplitTestResultsQuery, 'bots' | 'by' | 'include' | 'fresh'>;
    }
  | { type: 'csv'; scope: ReportScope; bots: ResultsExportQuery['bots'] }
  | { type: 'bundle'; scope: ReportScope; bots: ResultsExportQuery['bots']; definition: BundleDefinition }
  | {
      type: 'plan';
      property: Pick<PropertyConfiguration, 'id' | 'statistics'>;
      goal: Goal;
      query: PlanQuery;
    };

/** A message to the report thread. */
export interface ReportOrder {
  id: number;
  request: ReportRequest;
  /** Grows whenever an answer of the event store may have changed. */
  changes: number;
}

/** A finished response. */
export interface ReportBody {
  contentType: string;
  body: Uint8Array;
}

export type ReportReply = { id: number } & (
  | ReportBody
  | { error: { message: string; stack?: string; code?: string } }
);
