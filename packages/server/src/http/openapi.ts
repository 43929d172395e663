import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Problem } from '@switchyard/core/api/problem';
import type { FastifyInstance } from 'fastify';
import { ERRORS } from '../errors.ts';
import { TAGS, UNLISTED } from './api-description.ts';
import { type Prepared, prepare, sendPrepared } from './etag.ts';
import { completeDocument } from './openapi-completion.ts';
import { page } from './page.ts';

const DESCRIPTION = `Split testing, feature flags, goals and feedback on top of browser sessions.

Every request carries an API key in \`x-api-key\`: the public key in browsers, the secret key on servers.
Times are Unix milliseconds. Every answer carries \`x-request-id\`. Errors are RFC 9457 problems; \`error.code\` is stable
([all codes](/docs/errors)). A write is answered with 200 once it is on disk.

\`/v1\` only grows: a removal would be announced with the \`Deprecation\` and \`Sunset\` header fields.`;

/** Collects the routes registered after it into the OpenAPI document, and shows it. */
export async function describeApi(
  app: FastifyInstance,
  version: string,
  publicUrl: string | undefined,
): Promise<void> {
  app.addSchema(Problem);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Switchyard', version, description: DESCRIPTION, license: { name: 'MIT' } },
      servers: [{ url: publicUrl ?? '/' }],
      tags: TAGS.map((name) => ({ name })),
      components: {
        securitySchemes: {
          publicKey: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description: '`service_pub_…`, for browsers',
          },
          secretKey: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description: '`service_sec_…`, for servers only',
          },
          bearerKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The secret key, as clients of OpenFeature may send it',
          },
        },
      },
    },
    transformObject: (description) =>
      'openapiObject' in description
        ? completeDocument(description.openapiObject)
        : description.swaggerObject,
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, i) => String(json.$id ?? `schema-${i}`) },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Without the bar on top, which carries the name of somebody else.
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true, layout: 'BaseLayout' },
    theme: { title: 'Switchyard API' },
  });
  let document: Prepared | undefined;
  app.get('/openapi.json', UNLISTED, (request, reply) => {
    document ??= prepare(app.swagger());
    return sendPrepared(request, reply, document);
  });
  app.get('/docs/errors', UNLISTED, (_request, reply) => reply.type('text/html').send(errorsPage()));
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, message }]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${markCode(message)}</td></tr>`,
  );
  return page(
    'Errors',
    `<p>Every error answer is a problem document (RFC 9457). Branch on <code>error.code</code>.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>What it means</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  );
}

const markCode = (text: string) => text.replace(/`([^`]+)`/g, '<code>$1</code>');
