import { StartChecklist } from '@switchyard/core/api/decision/start-checklist';
import { ItemParams } from '@switchyard/core/api/management';
import type { Database } from '../../../configuration/database/database.ts';
import type { ApiRoutes } from '../../../http/pipeline/api-routes.ts';
import { disconnection } from '../../../http/pipeline/disconnection.ts';
import { EVENT_QUERY_ERRORS } from '../../../platform/errors/errors.ts';
import type { ReportRunner } from '../report-runner.ts';
import { findSplitTest } from '../reported-test.ts';
import { type ChecklistScope, checklistScope } from './checklist-scope.ts';
import { decisionRuleFor } from './decision-rule.ts';

interface Services {
  database: Database;
  reports: Pick<ReportRunner, 'run'>;
  /** The last verdict of the built-in A/A test. */
  lastAaVerdict: (propertyId: string) => Promise<ChecklistScope['aaTest']>;
}

/** What a person should see before starting a test. */
export function registerChecklistRoutes(
  api: ApiRoutes,
  { database, reports, lastAaVerdict }: Services,
): void {
  api.get<{ Params: ItemParams }>(
    '/v1/manage/properties/:propertyId/split-tests/:key/start-checklist',
    {
      tag: 'Management',
      summary: 'How a split test would be decided, and what to check before it starts',
      description:
        'The decision rule in words, which is fixed when the test starts, and a checklist from the events of the last days: whether the goals have events, the variations are complete and were opened by their preview links, the audience has traffic, the traffic suffices for the plan, the A/A test is calm, and no other running test changes the same. Nothing here prevents a start.',
      access: 'viewer',
      params: ItemParams,
      responses: { 200: { ...StartChecklist, description: 'The rule and the checklist' } },
      errors: ['split_test_not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    async ({ managed, params }, reply) => {
      const test = findSplitTest(managed, params.key);
      const scope = checklistScope(managed, test, {
        aaTest: await lastAaVerdict(managed.id),
        decisionRule: await decisionRuleFor(database, managed, test),
      });
      const report = await reports.run({ type: 'start-checklist', scope }, disconnection(reply));
      return reply.type(report.contentType).send(report.body);
    },
  );
}
