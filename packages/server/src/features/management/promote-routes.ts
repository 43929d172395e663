import { ConditionalHeaders, ItemParams, PromoteBody, WriteQuery } from '@switchyard/core/api/management';
import { promotedRule } from '@switchyard/core/lifecycle/promote-rule';
import {
  type EnvironmentFlagConfiguration,
  PRODUCTION,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { preconditionOf } from '../../http/contract/precondition.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import { WRITE_ERRORS, writeItem, writeResponses } from './collection-routes.ts';
import { collectionOf } from './collections.ts';
import { type ManagementServices, PROPERTY_URL } from './management-services.ts';

interface PromoteRoute {
  Params: ItemParams;
  Headers: ConditionalHeaders;
  Querystring: WriteQuery;
  Body: PromoteBody;
}

/** `P/flags/{key}/promote`: a patch of the flag that need not be written by hand. */
export function registerPromoteRoute(api: ApiRoutes, services: ManagementServices): void {
  const flags = collectionOf(services.model, 'flag')!;
  const { 201: _created, ...responses } = writeResponses(flags);
  api.post<PromoteRoute>(
    `${PROPERTY_URL}/flags/:key/promote`,
    {
      tag: 'Management',
      summary: 'End a measured rule and serve one of its variations',
      description:
        'Everybody who matches the rule gets the value of the variation; `off` sets the rollout to 0 %. The rule is not measured any more; its results stay. Without `If-Match`, the flag is changed as it is now.',
      access: 'editor',
      params: ItemParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      body: PromoteBody,
      responses,
      errors: [...WRITE_ERRORS, 'environment_not_found'],
    },
    (request, reply) => {
      const { key } = request.params;
      const { version, ...precondition } = preconditionOf(request.headers);
      const { flagVersion, body } = patchFor(request.managed, key, request.body);
      return writeItem(services, request, reply, {
        collection: flags,
        key,
        method: 'PATCH',
        body,
        precondition: { ...precondition, version: version ?? flagVersion },
      });
    },
  );
}

function patchFor(
  { flags, environments }: PropertyConfiguration,
  key: string,
  { environment = PRODUCTION.id, ruleId, variant }: PromoteBody,
): { flagVersion: number; body: object } {
  const flag = flags.find((each) => each.key === key);
  if (flag === undefined) throw new ApiError('not_found');
  if (!environments.some(({ id }) => id === environment)) throw new ApiError('environment_not_found');
  const configuration = flag.configurations.find(({ environmentId }) => environmentId === environment);
  const rules = rulesAfter(configuration, ruleId, variant);
  return { flagVersion: flag.version, body: { environments: { [environment]: { rules } } } };
}

function rulesAfter(
  { rules }: Pick<EnvironmentFlagConfiguration, 'rules'> = { rules: [] },
  ruleId: string,
  variant: string,
): EnvironmentFlagConfiguration['rules'] {
  const rule = rules.find(({ id }) => id === ruleId);
  if (rule?.measure === undefined) {
    throw new ApiError('not_found', { message: 'The flag has no measured rule with this id.' });
  }
  const promoted = promotedRule(rule, variant);
  if (promoted === undefined) throw invalidField('/variant', 'The rule has no such variation.');
  return rules.map((each) => (each === rule ? promoted : each));
}
