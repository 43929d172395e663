import { COMPARISON } from '@switchyard/core/api/common';
import { FeedbackExportQuery, FeedbackSummary, FeedbackSummaryQuery } from '@switchyard/core/api/feedback';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { PRODUCTION } from '../../configuration/property/property-configuration.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { plainResponse } from '../../http/contract/api-description.ts';
import { botFilter } from '../../http/contract/bot-filter.ts';
import { ExportSlots } from '../../http/limits/export-slots.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { exportFeedback } from './feedback-export.ts';
import { type FlagValues, flagFilter } from './feedback-flag-filter.ts';
import { checkReferences } from './feedback-references.ts';
import { summarizeFeedback, summaryPeriod } from './feedback-summary.ts';

interface Dependencies {
  auth: Authentication;
  eventStore: Pick<EventStoreClient, 'feedbackPage' | 'feedbackSummary' | 'feedbackCount'>;
  database: Database;
  model: ConfigurationModel;
  flagValues: FlagValues;
}

/** Each holds a page in memory while its client reads slowly. */
const MAX_EXPORTS = 4;

const ERRORS = [
  'wrong_property',
  'feedback_type_not_found',
  'split_test_not_found',
  'not_found',
  'environment_not_found',
  ...EVENT_QUERY_ERRORS,
] as const;

/** Feedback as a whole: its summary, and all entries as a file. */
export function registerFeedbackReportRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerSummary(api, dependencies);
  registerExport(api, dependencies);
}

function registerSummary(api: ApiRoutes, dependencies: Dependencies): void {
  const { auth } = dependencies;
  api.get<{ Querystring: FeedbackSummaryQuery }>(
    '/v1/feedback/summary',
    {
      tag: 'Feedback',
      summary: 'Feedback by option, status and time, compared with the previous period',
      description: `Default period: the last 30 days. ${COMPARISON} Entries of crawlers are left out, see \`bots\`. At most 1,000 buckets. With \`flagKey\`, only the latest 5,000 entries are looked at (\`flagFilter\`).`,
      key: 'secret',
      members: true,
      querystring: FeedbackSummaryQuery,
      responses: { 200: { ...FeedbackSummary, description: 'The summary' } },
      errors: [...ERRORS],
    },
    (request) => {
      const {
        flagKey,
        flagValue,
        environment,
        interval,
        compare,
        bots = 'exclude',
        ...filter
      } = request.query;
      const period = summaryPeriod(request.query, Date.now());
      const property = auth.property(request, filter.propertyId);
      checkReferences(property, request.query);
      const matching = flagFilter(dependencies, property, request.query);
      const flag = matching && { matching, environment: environment ?? PRODUCTION.id };
      const { timeZone } = property;
      return summarizeFeedback(
        dependencies,
        { ...filter, ...botFilter(bots) },
        { ...period, timeZone },
        flag,
      );
    },
  );
}

function registerExport(api: ApiRoutes, dependencies: Dependencies): void {
  const { auth } = dependencies;
  const slots = new ExportSlots(MAX_EXPORTS);
  api.get<{ Querystring: FeedbackExportQuery }>(
    '/v1/feedback/export',
    {
      tag: 'Feedback',
      summary: 'Export feedback entries as a file, newest first',
      description:
        'Texts that a spreadsheet would take for a formula start with an apostrophe. UTF-8 with a byte order mark. Times are in UTC.',
      key: 'secret',
      members: true,
      querystring: FeedbackExportQuery,
      responses: { 200: plainResponse('The file', 'text/csv') },
      errors: [...ERRORS],
      // It would read the whole file.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { flagKey, flagValue, environment, format, bots = 'include', ...filter } = request.query;
      const property = auth.property(request, filter.propertyId);
      checkReferences(property, request.query);
      if (!slots.take(reply)) return reply.send('');
      const matching = flagFilter(dependencies, property, request.query);
      const file = await exportFeedback(dependencies, { ...filter, ...botFilter(bots) }, matching);
      return reply
        .header('content-disposition', 'attachment; filename="feedback.csv"')
        .type('text/csv; charset=utf-8')
        .send(file);
    },
  );
}
