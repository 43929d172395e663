import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import swagger from '@fastify/swagger';
import { Problem } from '@switchyard/core/api/problem';
import type { FastifyInstance } from 'fastify';
import { SESSION_COOKIE } from '../access/session-cookie.ts';
import { TAGS, UNLISTED } from '../contract/api-description.ts';
import { etagOf } from '../contract/etag.ts';
import { type PreparedFile, sendFile } from '../static/prepared-file.ts';
import { completeDocument } from './openapi-completion.ts';

const DESCRIPTION = `Split testing, feature flags, goals and feedback on top of browser sessions.

Send an API key with every request in the \`x-api-key\` header: the public key from browsers, the secret key from servers.
Management endpoints take the session cookie or an access token of an account instead.
Times are Unix timestamps in milliseconds. Every response has an \`x-request-id\` header. Errors are RFC 9457 problem
documents with a stable \`error.code\` ([all codes](/docs/errors)). Writes return 200 once the data is on disk.

\`/v1\` stays backward compatible: removals would be announced with the \`Deprecation\` and \`Sunset\` headers.`;

/** Generates the OpenAPI document from all routes registered after this call, and serves it. */
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
          publicKeyInQuery: {
            type: 'apiKey',
            in: 'query',
            name: 'key',
            description: 'The public key, for requests of pages without a preflight',
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
            description: 'The secret key, for OpenFeature clients',
          },
          sessionCookie: {
            type: 'apiKey',
            in: 'cookie',
            name: SESSION_COOKIE,
            description: 'Set by signing in. Requests that change something must come from our own origin',
          },
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            description: '`service_adm_…`, an access token of an account',
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
  let document: Promise<PreparedFile> | undefined;
  app.get('/openapi.json', UNLISTED, async (request, reply) => {
    document ??= compressed(JSON.stringify(app.swagger()));
    return sendFile(await document, 'no-cache', request, reply);
  });
}

/** The document has about a megabyte, a twentieth of it compressed. */
async function compressed(text: string): Promise<PreparedFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(text, { params }),
    promisify(gzip)(text),
  ]);
  return {
    etag: etagOf(text),
    contentType: 'application/json; charset=utf-8',
    encodings: new Map([
      ['br', br],
      ['gzip', gzipped],
      ['identity', Buffer.from(text)],
    ]),
  };
}
