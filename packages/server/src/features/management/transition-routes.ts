import {
  ConditionalHeaders,
  DryRun,
  ItemParams,
  ManagedSplitTest,
  StopBody,
  WriteQuery,
} from '@switchyard/core/api/management';
import { preconditionOf } from '../../http/contract/precondition.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { responseOf } from './collections.ts';
import { dryRunResponse } from './dry-run.ts';
import {
  changeManaged,
  changeRequest,
  type ManagementServices,
  PROPERTY_URL,
} from './management-services.ts';
import { applyTransition, TRANSITION_ACTIONS, type TransitionAction } from './transition.ts';

interface TransitionRoute {
  Params: ItemParams;
  Headers: ConditionalHeaders;
  Querystring: WriteQuery;
  Body: StopBody;
}

/** `P/split-tests/{key}/start` and so on. */
export function registerTransitionRoutes(api: ApiRoutes, services: ManagementServices): void {
  for (const action of TRANSITION_ACTIONS) registerTransition(api, action, services);
}

function registerTransition(api: ApiRoutes, action: TransitionAction, services: ManagementServices): void {
  const verb = action.slice(0, 1).toUpperCase() + action.slice(1);
  api.post<TransitionRoute>(
    `${PROPERTY_URL}/split-tests/:key/${action}`,
    {
      tag: 'Management',
      summary: `${verb} a split test`,
      ...(action === 'stop' && {
        description:
          'With a `winner`, everybody is shown that variation from now on. A stopped test cannot be restarted.',
      }),
      access: 'editor',
      params: ItemParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      ...(action === 'stop' && { body: StopBody, bodyOptional: true as const }),
      responses: {
        200: {
          anyOf: [ManagedSplitTest, DryRun],
          description: 'The split test after the change, or with `dryRun` the differences',
        },
      },
      errors: ['split_test_not_found', 'transition_not_allowed', 'version_conflict'],
    },
    async (request, reply) => {
      const { key } = request.params;
      const { version } = preconditionOf(request.headers);
      const decided = action === 'stop' ? request.body : {};
      const changed = await changeManaged(services, request.managed.id, changeRequest(request), (input) => {
        const test = services.model.findItem(input.current, 'split-test', key);
        if (test !== undefined && typeof version === 'number' && version !== test.version) {
          const current = responseOf(services.model, 'split-test', test);
          throw new ApiError('version_conflict', { details: { current, conflicts: ['/status'] } });
        }
        return applyTransition(input, key, action, decided, services.resolve);
      });
      if (request.query.dryRun) return dryRunResponse(services.model, changed);
      const test = changed.current && services.model.findItem(changed.current, 'split-test', key);
      if (test === undefined) throw new ApiError('split_test_not_found');
      return reply.header('etag', `"${test.version}"`).send(responseOf(services.model, 'split-test', test));
    },
  );
}
