import { FlagOverlapQuery, OverlapQuery, OverlapReport } from '@switchyard/core/api/learning/overlap';
import type { FastifyReply } from 'fastify';
import {
  PRODUCTION,
  type PropertyConfiguration,
} from '../../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../../http/access/authentication.ts';
import type { ApiRoutes } from '../../../http/pipeline/api-routes.ts';
import { disconnection } from '../../../http/pipeline/disconnection.ts';
import { EVENT_QUERY_ERRORS } from '../../../platform/errors/errors.ts';
import { sendReport } from '../report-routes.ts';
import type { ReportRunner } from '../report-runner.ts';
import { findMeasuredRule, findSplitTest, type ReportedTest } from '../reported-test.ts';
import { overlapScope } from './overlap-scope.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
}

export function registerOverlapRoutes(api: ApiRoutes, { auth, reports }: Dependencies): void {
  const send = (reply: FastifyReply, property: PropertyConfiguration, test: ReportedTest, fresh: boolean) => {
    const scope = overlapScope(property, test, Date.now());
    return sendReport(reply, reports.run({ type: 'overlap', scope, fresh }, disconnection(reply)));
  };
  api.get<{ Querystring: OverlapQuery }>(
    '/v1/split-testing/overlap',
    {
      tag: 'Split testing',
      summary: 'Which other tests share visitors with a test',
      description:
        'The other tests and measured rules of flags that ran at the same time as the latest phase of this one, how many visitors are in both, and whether the effect on the primary goal differs between the variations of the other test. Tests of the same exclusion group never share a visitor, and are not listed. Effects are compared as observed, without what visitors did before the test. Counts that take long may be cached for a few minutes: `asOf` says when they were made.',
      key: 'secret',
      members: true,
      querystring: OverlapQuery,
      responses: { 200: { ...OverlapReport, description: 'The other tests, most visitors in common first' } },
      errors: ['wrong_property', 'split_test_not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const { propertyId, splitTestKey, fresh = false } = request.query;
      const property = auth.property(request, propertyId);
      return send(reply, property, findSplitTest(property, splitTestKey), fresh);
    },
  );
  api.get<{ Querystring: FlagOverlapQuery }>(
    '/v1/flags/overlap',
    {
      tag: 'Flags',
      summary: 'Which tests share visitors with a measured rule',
      description:
        'The split tests and other measured rules that ran at the same time as the latest phase of this one, like the overlap of a split test. If a measured rule of the two counts users, visitors of both are counted by user.',
      key: 'secret',
      members: true,
      querystring: FlagOverlapQuery,
      responses: { 200: { ...OverlapReport, description: 'The others, most visitors in common first' } },
      errors: ['wrong_property', 'environment_not_found', 'not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const { propertyId, flagKey, environment = PRODUCTION.id, ruleId, fresh = false } = request.query;
      const property = auth.property(request, propertyId);
      return send(reply, property, findMeasuredRule(property, { flagKey, environment, ruleId }), fresh);
    },
  );
}
