import { OverlapQuery, OverlapReport } from '@switchyard/core/api/learning/overlap';
import type { Authentication } from '../../../http/access/authentication.ts';
import type { ApiRoutes } from '../../../http/pipeline/api-routes.ts';
import { disconnection } from '../../../http/pipeline/disconnection.ts';
import { EVENT_QUERY_ERRORS } from '../../../platform/errors/errors.ts';
import { sendReport } from '../report-routes.ts';
import type { ReportRunner } from '../report-runner.ts';
import { findSplitTest } from '../reported-test.ts';
import { overlapScope } from './overlap-scope.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
}

export function registerOverlapRoutes(api: ApiRoutes, { auth, reports }: Dependencies): void {
  api.get<{ Querystring: OverlapQuery }>(
    '/v1/split-testing/overlap',
    {
      tag: 'Split testing',
      summary: 'Which other tests share visitors with a test',
      description:
        'The other tests that ran at the same time as the latest phase of this one, how many visitors are in both, and whether the effect on the primary goal differs between the variations of the other test. Tests of the same exclusion group never share a visitor, and are not listed. Effects are compared as observed, without what visitors did before the test. Counts that take long may be cached for a few minutes: `asOf` says when they were made.',
      key: 'secret',
      members: true,
      querystring: OverlapQuery,
      responses: { 200: { ...OverlapReport, description: 'The other tests, most visitors in common first' } },
      errors: ['wrong_property', 'split_test_not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const { propertyId, splitTestKey, fresh = false } = request.query;
      const property = auth.property(request, propertyId);
      const scope = overlapScope(property, findSplitTest(property, splitTestKey), Date.now());
      return sendReport(reply, reports.run({ type: 'overlap', scope, fresh }, disconnection(reply)));
    },
  );
}
