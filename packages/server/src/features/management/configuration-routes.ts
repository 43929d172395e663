import { PropertyParams, StreamHeaders, wholeConfiguration } from '@switchyard/core/api/management';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { plainResponse, preparedResponses } from '../../http/contract/api-description.ts';
import { prepare, sendPrepared } from '../../http/contract/etag.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { managedCollections, responseOf } from './collections.ts';
import type { ConfigurationStreams } from './configuration-streams.ts';
import { PROPERTY_URL } from './management-services.ts';

/** The whole configuration at once, and a stream of its changes. */
export function registerConfigurationRoutes(
  api: ApiRoutes,
  model: ConfigurationModel,
  streams: ConfigurationStreams,
): void {
  const collections = managedCollections(model);
  const schema = wholeConfiguration(
    Object.fromEntries(collections.map(({ field, response }) => [field, response])),
  );
  const whole = derivePerProperty((property) => prepare(contentOf(model, property)));
  api.get(
    `${PROPERTY_URL}/configuration`,
    {
      tag: 'Management',
      summary: 'The whole configuration of the property',
      access: 'viewer',
      params: PropertyParams,
      responses: preparedResponses({ ...schema, description: 'All lists, without secrets' }),
    },
    (request, reply) => sendPrepared(request, reply, whole(request.managed)),
  );
  api.get<{ Headers: StreamHeaders }>(
    `${PROPERTY_URL}/stream`,
    {
      tag: 'Management',
      summary: 'Server-sent events: one `change` per saved change',
      description:
        'The `id` is the version of the property. The data is `{"version", "changes"}`, where `changes` lists the type, key, action and version of each changed item. A client that reconnects with `Last-Event-ID` gets what it missed, or one `reload` if that is too much or the id is unknown.',
      access: 'viewer',
      params: PropertyParams,
      headers: StreamHeaders,
      responses: { 200: plainResponse('A stream that stays open', 'text/event-stream') },
      errors: ['too_many_streams'],
      exposeHeadRoute: false,
    },
    (request, reply) => streams.open(request, reply),
  );
}

function contentOf(model: ConfigurationModel, property: PropertyConfiguration): object {
  const lists = model.saved.flatMap(({ type, field, managed }) => {
    const items = model.itemsOf(property, type).map((item) => responseOf(model, type, item));
    return managed === undefined ? [] : [[field, items]];
  });
  const { version } = property;
  return {
    property: { ...model.propertyDocument(property), version },
    ...Object.fromEntries(lists),
    version,
  };
}
