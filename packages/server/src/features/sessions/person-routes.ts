import { Readable } from 'node:stream';
import { PropertyParams } from '@switchyard/core/api/management';
import { PersonExport, PersonQuery } from '@switchyard/core/api/people';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { ExportSlots } from '../../http/limits/export-slots.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { type PersonSources, personExport } from './person-export.ts';

const MAX_EXPORTS = 2;

/** Everything about one person, as a file. */
export function registerPersonRoutes(
  api: ApiRoutes,
  sourcesOf: (property: PropertyConfiguration) => PersonSources,
): void {
  const slots = new ExportSlots(MAX_EXPORTS);
  api.get<{ Querystring: PersonQuery }>(
    '/v1/manage/properties/:propertyId/person',
    {
      tag: 'Management',
      summary: 'Everything that is stored about a visitor, a user or a session',
      description:
        'The sessions are those that an erasure of the same person would delete. Streamed, so a failure after the start ends the response early.',
      access: 'admin',
      params: PropertyParams,
      querystring: PersonQuery,
      responses: { 200: { ...PersonExport, description: 'The file' } },
      errors: ['overloaded', ...EVENT_QUERY_ERRORS],
      // It would read the whole file.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      if (!slots.take(reply)) return reply.send('');
      const { managed, query } = request;
      const parts = personExport(sourcesOf(managed), managed.id, query);
      // Its errors can still be sent.
      const first = await parts.next();
      return reply
        .header('content-disposition', 'attachment; filename="person.json"')
        .type('application/json; charset=utf-8')
        .send(Readable.from(all(first.value ?? '', parts), { objectMode: false }));
    },
  );
}

async function* all(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
