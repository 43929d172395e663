import type { FastifySchema } from 'fastify';
import { ERRORS, type ErrorCode } from '../errors.ts';
import type { KeyKind } from '../storage/property-configuration.ts';

/** What routes belong to, in the order in which the documentation shows it. */
export const TAGS = [
  'Split testing',
  'Flags',
  'Goals',
  'Feedback',
  'Sessions',
  'OpenFeature',
  'Keys',
  'Operation',
] as const;

export interface RouteDescription {
  tag: (typeof TAGS)[number];
  summary: string;
  description?: string;
  key: KeyKind;
  /** The key may also come as `Authorization: Bearer`. */
  bearer?: true;
  params?: object;
  querystring?: object;
  headers?: object;
  body?: object;
  /** Answers of this route, by status. */
  responses: Record<number, object>;
  /** Errors beyond those that every route with a key has. */
  errors?: readonly ErrorCode[];
}

const WITH_KEY: readonly ErrorCode[] = [
  'invalid_request',
  'api_key_missing',
  'api_key_invalid',
  'wrong_key_kind',
  'rate_limited',
  'internal_error',
  'overloaded',
];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

/** The schema of a route: what Fastify validates and what the OpenAPI document says. */
export function describeRoute(route: RouteDescription): FastifySchema {
  const { tag, summary, description, key, bearer, responses, errors = [], ...parts } = route;
  const codes = [...WITH_KEY, ...(parts.body === undefined ? [] : WITH_BODY), ...errors];
  return {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: [{ [`${key}Key`]: [] }, ...(bearer ? [{ bearerKey: [] }] : [])],
    ...parts,
    // A route's own answer wins over the general one, as the errors of OpenFeature do.
    response: { ...errorResponses(codes), ...withHeaders(responses) },
  };
}

const text = (description: string) => ({ type: 'string', description });
const HEADERS = {
  'x-request-id': text('Names this answer in the log'),
  ratelimit: text('What is left of the rate, e.g. `"key";r=4999;t=1`'),
  'ratelimit-policy': text('The rate, e.g. `"key";q=5000;w=1`; absent when the limit is off'),
};
const RETRY_AFTER = { 'retry-after': text('Seconds to wait') };

/** Every answer to a key carries the same header fields; a route may name more. */
function withHeaders(responses: Record<number, object>): Record<number, object> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => {
      const own = (answer as { headers?: object }).headers;
      return [status, { description: 'Done', ...answer, headers: { ...HEADERS, ...own } }];
    }),
  );
}

function errorResponses(codes: readonly ErrorCode[]): Record<number, object> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        headers: status === 429 || status === 503 ? { ...HEADERS, ...RETRY_AFTER } : HEADERS,
        description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  );
}

/** The answers of a route that sends what was prepared: an entity tag, and 304 to whoever has it. */
export const preparedResponses = (answer: object, headers: Record<string, object> = {}) => ({
  200: {
    ...answer,
    headers: { ...headers, etag: text('Send it back in `If-None-Match`') },
  },
  304: { description: 'Unchanged since the `If-None-Match` given', type: 'null' },
});

/** An answer that is no JSON object of ours. */
export const plainResponse = (description: string, mediaType?: string) => ({
  description,
  ...(mediaType === undefined
    ? { type: 'null' }
    : { content: { [mediaType]: { schema: { type: 'string' } } } }),
});

/** Options of a route that is not part of the API. */
export const UNLISTED = { schema: { hide: true } };
