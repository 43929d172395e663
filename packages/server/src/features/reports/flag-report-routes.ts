import { ResultsBundle, SplitTestResults } from '@switchyard/core/api/results';
import { FlagResultsExportQuery, FlagResultsQuery } from '@switchyard/core/api/results/results-queries';
import { PRODUCTION } from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { BUNDLE_EXAMPLES, metricsOf, sendExport, sendReport } from './report-routes.ts';
import type { ReportRunner } from './report-runner.ts';
import { scopeOf } from './report-scope.ts';
import { findMeasuredRule } from './reported-test.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
}

const errors = [
  'wrong_property',
  'environment_not_found',
  'not_found',
  'overloaded',
  ...EVENT_QUERY_ERRORS,
] as const;

/** Reports on rules that are measured like split tests. */
export function registerFlagReportRoutes(api: ApiRoutes, { auth, reports }: Dependencies): void {
  api.get<{ Querystring: FlagResultsQuery }>(
    '/v1/flags/results',
    {
      tag: 'Flags',
      summary: 'Counts, statistics, health and verdict of a measured rule',
      description:
        'Like the results of a split test. The variations are those of the split or, of a rollout, `off` (the control: the conditions match, but the rollout does not include them) and `on`.',
      key: 'secret',
      members: true,
      querystring: FlagResultsQuery,
      responses: { 200: { ...SplitTestResults, description: 'The report' } },
      errors,
    },
    (request, reply) => {
      const { propertyId, flagKey, environment = PRODUCTION.id, ruleId, phase, ...options } = request.query;
      const property = auth.property(request, propertyId);
      const test = findMeasuredRule(property, { flagKey, environment, ruleId });
      const scope = scopeOf(property, test, phase, Date.now());
      return sendReport(reply, reports.run({ type: 'results', scope, options, decisionRule: undefined }));
    },
  );
  api.get<{ Querystring: FlagResultsExportQuery }>(
    '/v1/flags/results/export',
    {
      tag: 'Flags',
      summary: 'Export a report on a measured rule as a file',
      description: '`switchyard verify` recomputes a bundle offline and checks that the results match.',
      key: 'secret',
      members: true,
      querystring: FlagResultsExportQuery,
      responses: {
        200: {
          description: 'The file',
          content: {
            'application/json': { schema: ResultsBundle, examples: BUNDLE_EXAMPLES },
            'text/csv': { schema: { type: 'string' } },
          },
        },
      },
      errors,
    },
    (request, reply) => {
      const { propertyId, flagKey, environment = PRODUCTION.id, ruleId, phase, bots, format } = request.query;
      const property = auth.property(request, propertyId);
      const test = findMeasuredRule(property, { flagKey, environment, ruleId });
      const scope = scopeOf(property, test, phase, Date.now());
      return sendExport(reply, reports, {
        scope,
        bots,
        format,
        definition: { ...test, ...metricsOf(property, test) },
        decisionRule: undefined,
        name: `${flagKey}-${ruleId}`,
      });
    },
  );
}
