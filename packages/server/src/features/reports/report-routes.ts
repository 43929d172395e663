import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import { ResultsBundle, SplitTestResults } from '@switchyard/core/api/results';
import { ResultsExportQuery, SplitTestResultsQuery } from '@switchyard/core/api/results/results-queries';
import { PlanQuery, PlanResponse } from '@switchyard/core/api/test-plan';
import type { FastifyReply } from 'fastify';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { metricIdOf } from '../../configuration/property/test-outcome.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { disconnection } from '../../http/pipeline/disconnection.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { decisionRuleFor } from './decision/decision-rule.ts';
import { plannedAudience } from './plan/planned-audience.ts';
import { checkPlannedOutcome, plannedGuardrails, plannedOutcome } from './plan/test-plan.ts';
import type { BundleDefinition } from './report-bundle.ts';
import type { ReportBody } from './report-request.ts';
import type { ReportRunner } from './report-runner.ts';
import { type ReportScope, scopeOf } from './report-scope.ts';
import { findSplitTest, type ReportedTest } from './reported-test.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
  /** Its history says who changed a rule after the start. */
  database: Database;
}

export function registerReportRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerResults(api, dependencies);
  registerExport(api, dependencies);
  registerPlan(api, dependencies);
}

const RESULT_ERRORS = [
  'wrong_property',
  'split_test_not_found',
  'overloaded',
  ...EVENT_QUERY_ERRORS,
] as const;

export async function sendReport(reply: FastifyReply, report: Promise<ReportBody>): Promise<FastifyReply> {
  const { contentType, body } = await report;
  return reply.type(contentType).send(body);
}

function registerResults(api: ApiRoutes, { auth, reports, database }: Dependencies): void {
  api.get<{ Querystring: SplitTestResultsQuery }>(
    '/v1/split-testing/results',
    {
      tag: 'Split testing',
      summary: 'Counts, statistics, health and verdict of a split test',
      description:
        'Each visitor is counted once, from their first exposure on; visitors who saw several variations are excluded. Each phase of a test is reported separately. Counts that take long may be cached for a few minutes: `asOf` says when they were made.',
      key: 'secret',
      members: true,
      querystring: SplitTestResultsQuery,
      responses: { 200: { ...SplitTestResults, description: 'The report' } },
      errors: [...RESULT_ERRORS],
    },
    async (request, reply) => {
      const { propertyId, splitTestKey, phase, bots, by, include, fresh } = request.query;
      const property = auth.property(request, propertyId);
      const test = findSplitTest(property, splitTestKey);
      const scope = scopeOf(property, test, phase, Date.now());
      const decisionRule = await decisionRuleFor(database, property, test);
      const options = { bots, by, include, fresh };
      return sendReport(reply, reports.run({ type: 'results', scope, decisionRule, options }));
    },
  );
}

export const BUNDLE_EXAMPLES = Object.fromEntries(
  (ResultsBundle as { examples?: unknown[] }).examples!.map((value, index) => [
    `example${index + 1}`,
    { value },
  ]),
);

function registerExport(api: ApiRoutes, { auth, reports, database }: Dependencies): void {
  api.get<{ Querystring: ResultsExportQuery }>(
    '/v1/split-testing/results/export',
    {
      tag: 'Split testing',
      summary: 'Export a report as a file',
      description: '`switchyard verify` recomputes a bundle offline and checks that the results match.',
      key: 'secret',
      members: true,
      querystring: ResultsExportQuery,
      responses: {
        200: {
          description: 'The file',
          content: {
            'application/json': { schema: ResultsBundle, examples: BUNDLE_EXAMPLES },
            'text/csv': { schema: { type: 'string' } },
          },
        },
      },
      errors: [...RESULT_ERRORS],
    },
    async (request, reply) => {
      const { propertyId, splitTestKey, phase, bots, format = 'bundle' } = request.query;
      const property = auth.property(request, propertyId);
      const test = findSplitTest(property, splitTestKey);
      const scope = scopeOf(property, test, phase, Date.now());
      const { id: _id, createdAt: _createdAt, ...settings } = test;
      const definition = { ...settings, ...metricsOf(property, test) };
      const decisionRule = format === 'csv' ? undefined : await decisionRuleFor(database, property, test);
      return sendExport(reply, reports, {
        scope,
        bots,
        format,
        definition,
        decisionRule,
        name: splitTestKey,
      });
    },
  );
}

interface ExportInput extends Pick<ResultsExportQuery, 'bots' | 'format'> {
  scope: ReportScope;
  definition: BundleDefinition;
  /** Undefined for measured rules, which have none. */
  decisionRule: DecisionRuleReport | undefined;
  /** Of the file, without an extension. */
  name: string;
}

export function sendExport(
  reply: FastifyReply,
  reports: Pick<ReportRunner, 'run'>,
  { scope, bots, format, definition, decisionRule, name }: ExportInput,
): Promise<FastifyReply> {
  const extension = format === 'csv' ? 'csv' : 'json';
  reply.header('content-disposition', `attachment; filename="${fileName(name)}.${extension}"`);
  const request =
    format === 'csv'
      ? ({ type: 'csv', scope, bots } as const)
      : ({ type: 'bundle', scope, bots, definition, decisionRule } as const);
  return sendReport(reply, reports.run(request));
}

/** The metrics of a test; without any, bundles have no list of them. */
export function metricsOf({ metrics }: PropertyConfiguration, { goals, guardrails }: ReportedTest) {
  const used = new Set([...goals, ...guardrails].map(metricIdOf));
  const own = metrics.filter(({ id }) => used.has(id));
  return own.length === 0 ? {} : { metrics: own };
}

const fileName = (key: string) => key.replaceAll(/[^A-Za-z0-9._-]/g, '_');

function registerPlan(api: ApiRoutes, { auth, reports }: Dependencies): void {
  api.get<{ Querystring: PlanQuery }>(
    '/v1/split-testing/plan',
    {
      tag: 'Split testing',
      summary: 'Estimate how many visitors and days a test needs',
      description:
        'For a goal or a metric, based on the recent traffic and conversions of the property, including visitors who were not in any test. Visitors whose window of a metric is not over yet are left out of its baseline. With an `audience`, the sessions of the same days tell how many visitors belong to it; the conversion rate is still that of all visitors.',
      key: 'secret',
      members: true,
      querystring: PlanQuery,
      responses: { 200: { ...PlanResponse, description: 'The plan' } },
      errors: ['wrong_property', 'goal_not_found', 'not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const { query } = request;
      checkPlannedOutcome(query);
      const property = auth.property(request, query.propertyId);
      const { id, statistics, timeZone, displayCurrency } = property;
      const plan = {
        type: 'plan',
        property: { id, statistics, timeZone, displayCurrency },
        outcome: plannedOutcome(property, query),
        guardrails: plannedGuardrails(property, query),
        audience: plannedAudience(query.audience, property),
        query,
      } as const;
      return sendReport(reply, reports.run(plan, disconnection(reply)));
    },
  );
}
