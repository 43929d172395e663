import { HoldoutQuery, HoldoutReport } from '@switchyard/core/api/holdout';
import { noHoldoutReport } from '@switchyard/core/stats/report/holdout-report';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { holdoutScope } from './holdout-scope.ts';
import { sendReport } from './report-routes.ts';
import type { ReportRunner } from './report-runner.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
}

export function registerHoldoutRoutes(api: ApiRoutes, { auth, reports }: Dependencies): void {
  api.get<{ Querystring: HoldoutQuery }>(
    '/v1/split-testing/holdout',
    {
      tag: 'Split testing',
      summary: 'Compare the visitors of the holdout with everybody else',
      description:
        'On every goal of the property, since the holdout began. Visitors with a session since then are assigned while they are counted; their conversions count from the first such session on. Crawlers are left out. Counts that take long may be cached for a few minutes: `asOf` says when they were made.',
      key: 'secret',
      members: true,
      querystring: HoldoutQuery,
      responses: { 200: { ...HoldoutReport, description: 'The report; without a holdout, how to get one' } },
      errors: ['wrong_property', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const { propertyId, fresh = false } = request.query;
      const property = auth.property(request, propertyId);
      const scope = holdoutScope(property);
      if (scope === undefined) return reply.send(noHoldoutReport(property.statistics, Date.now()));
      return sendReport(reply, reports.run({ type: 'holdout', scope, fresh }));
    },
  );
}
