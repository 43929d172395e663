import { PropertyParams, StreamHeaders, WholeConfiguration } from '@switchyard/core/api/management';
import { plainResponse, preparedResponses } from '../../http/api-description.ts';
import type { ApiRoutes } from '../../http/api-routes.ts';
import { prepare, sendPrepared } from '../../http/etag.ts';
import {
  COLLECTIONS,
  documentOf,
  ITEM_TYPES,
  itemsOf,
  propertyDocument,
} from '../../storage/changes/entities.ts';
import { derivePerProperty } from '../../storage/property-configuration.ts';
import type { ConfigurationStreams } from './configuration-streams.ts';
import { PROPERTY_URL } from './management-parts.ts';

/** The whole configuration at once, and a stream of its changes. */
export function registerConfigurationRoutes(api: ApiRoutes, streams: ConfigurationStreams): void {
  api.get(
    `${PROPERTY_URL}/configuration`,
    {
      tag: 'Management',
      summary: 'The whole configuration of the property',
      access: 'viewer',
      params: PropertyParams,
      responses: preparedResponses({ ...WholeConfiguration, description: 'All lists, without secrets' }),
    },
    (request, reply) => sendPrepared(request, reply, wholeConfiguration(request.managed)),
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

const wholeConfiguration = derivePerProperty((property) => {
  const types = ITEM_TYPES.filter((type) => type !== 'member' && type !== 'key');
  const lists = types.map((type) => {
    const items = itemsOf(property, type).map((item) => {
      return { ...documentOf(type, item), version: Reflect.get(item, 'version') };
    });
    return [COLLECTIONS[type], items];
  });
  const { version } = property;
  return prepare({
    property: { ...propertyDocument(property), version },
    ...Object.fromEntries(lists),
    version,
  });
});
