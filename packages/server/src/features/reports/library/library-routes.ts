import { Library, LibraryQuery } from '@switchyard/core/api/learning/library';
import type { Authentication } from '../../../http/access/authentication.ts';
import type { ApiRoutes } from '../../../http/pipeline/api-routes.ts';
import { disconnection } from '../../../http/pipeline/disconnection.ts';
import { EVENT_QUERY_ERRORS } from '../../../platform/errors/errors.ts';
import { sendReport } from '../report-routes.ts';
import type { ReportRunner } from '../report-runner.ts';
import { libraryScope } from './library-scope.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
}

export function registerLibraryRoutes(api: ApiRoutes, { auth, reports }: Dependencies): void {
  api.get<{ Querystring: LibraryQuery }>(
    '/v1/split-testing/library',
    {
      tag: 'Split testing',
      summary: 'Finished tests, and what they say about the next one',
      description:
        'Every test and every measured rule of a flag that has ended, with its question, decision, effect on the primary goal and cost. `record` is about the latest 50 of them, whatever the filters: how often ideas win, the usual size of an effect, and what shipped tests are estimated to have brought. Effects are also given as what to expect from now on: shrunk towards this record. Counts of tests whose attribution has ended may be up to an hour old.',
      key: 'secret',
      members: true,
      querystring: LibraryQuery,
      responses: { 200: { ...Library, description: 'Finished tests, latest end first' } },
      errors: ['wrong_property', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const { propertyId, ...query } = request.query;
      const scope = libraryScope(auth.property(request, propertyId), query, Date.now());
      return sendReport(reply, reports.run({ type: 'library', scope }, disconnection(reply)));
    },
  );
}
