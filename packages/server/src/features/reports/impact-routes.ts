import { Impact, ImpactBody } from '@switchyard/core/api/impact';
import { PropertyParams } from '@switchyard/core/api/management';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { disconnection } from '../../http/pipeline/disconnection.ts';
import { ApiError, EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { impactScope } from './impact-scope.ts';
import type { ReportRunner } from './report-runner.ts';

interface Services {
  model: ConfigurationModel;
  reports: Pick<ReportRunner, 'run'>;
  /** The property as it would be with an item that is not saved. */
  withUnsavedItem: (
    current: PropertyConfiguration,
    item: Pick<ImpactBody, 'type' | 'key' | 'definition'>,
  ) => Promise<PropertyConfiguration>;
}

/** Who is affected by a change, before it is saved. */
export function registerImpactRoutes(api: ApiRoutes, { model, reports, withUnsavedItem }: Services): void {
  api.post<{ Body: ImpactBody }>(
    '/v1/manage/properties/:propertyId/impact',
    {
      tag: 'Management',
      summary: 'Who would be affected by a change of a flag, segment or split test',
      description:
        'Replays the sessions of the last days through the definition that is saved and through the new one, and counts the visitors who would get another value. The new definition is checked like one that is saved. Closing the connection cancels it. Changes nothing.',
      access: 'viewer',
      params: PropertyParams,
      body: ImpactBody,
      responses: { 200: { ...Impact, description: 'The affected visitors' } },
      errors: ['not_found', 'in_use', 'transition_not_allowed', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    async ({ managed, body }, reply) => {
      const { type, key, definition, days = 7 } = body;
      if (definition === null && model.findItem(managed, type, key) === undefined) {
        throw new ApiError('not_found', { message: `There is no ${type.replace('-', ' ')} "${key}".` });
      }
      const after = await withUnsavedItem(managed, { type, key, definition });
      const scope = impactScope({ before: managed, after }, { type, key, days });
      const report = await reports.run({ type: 'impact', scope }, disconnection(reply));
      return reply.type(report.contentType).send(report.body);
    },
  );
}
