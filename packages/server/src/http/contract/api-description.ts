import type { FastifySchema } from 'fastify';
import type { KeyKind } from '../../configuration/property/property-configuration.ts';
import { ERRORS, type ErrorCode } from '../../platform/errors/errors.ts';
import type { Access } from './caller.ts';

/** Groups of routes, in the order of the documentation. */
export const TAGS = [
  'Split testing',
  'Flags',
  'Goals',
  'Feedback',
  'Sessions',
  'Traffic',
  'OpenFeature',
  'Keys',
  'Management',
  'Operation',
] as const;

/** A route for programs and pages that have an API key. */
export interface KeyAccess {
  key: KeyKind;
  /** Also accepts the key as `Authorization: Bearer`. */
  bearer?: true;
  /** Also accepts the session cookie or access token of any member of the property; only on routes that read. */
  members?: true;
  access?: undefined;
  session?: undefined;
}

/** A management route, for accounts. */
export interface ManagementAccess {
  access: Access;
  /** Only accepts the session cookie, not access tokens. */
  session?: true;
  key?: undefined;
  bearer?: undefined;
  members?: undefined;
}

interface RouteContent {
  tag: (typeof TAGS)[number];
  summary: string;
  description?: string;
  params?: object;
  querystring?: object;
  headers?: object;
  body?: object;
  /** In the OpenAPI document instead of `body`, for bodies that the route validates itself. */
  documentedBody?: object;
  /** By status. */
  responses: Record<number, object>;
  /** In addition to the errors that every route with this kind of access can return. */
  errors?: readonly ErrorCode[];
}

export type RouteDescription = RouteContent & (KeyAccess | ManagementAccess);

const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'rate_limited',
  'internal_error',
  'overloaded',
];
const KEY_ERRORS: readonly ErrorCode[] = ['api_key_missing', 'api_key_invalid', 'wrong_key_kind'];
const MEMBER_ERRORS: readonly ErrorCode[] = ['sign_in_required', 'not_found', 'database_unavailable'];
const ANYONE_ERRORS: readonly ErrorCode[] = ['cross_origin', 'database_unavailable'];
const ACCOUNT_ERRORS: readonly ErrorCode[] = [
  'sign_in_required',
  'cross_origin',
  'role_required',
  'not_found',
  'database_unavailable',
];
const BODY_ERRORS: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

/** The schema of a route, for validation and for the OpenAPI document. */
export function describeRoute(route: RouteDescription): FastifySchema {
  const { tag, summary, responses, errors = [], params, querystring, headers, body } = route;
  const codes = [
    ...COMMON_ERRORS,
    ...accessErrors(route),
    ...(body === undefined ? [] : BODY_ERRORS),
    ...errors,
  ];
  const description = [route.description, accessNote(route)].filter(Boolean).join('\n\n');
  return {
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    security: securityOf(route),
    ...(params && { params }),
    ...(querystring && { querystring }),
    ...(headers && { headers }),
    ...(body && { body: route.documentedBody ?? body }),
    ...(body && route.key === 'public' && { consumes: ['application/json', 'text/plain'] }),
    // Responses of the route override the general ones, as the OpenFeature errors do.
    response: { ...errorResponses(codes), ...withHeaders(responses) },
  };
}

function accessErrors({ access, key, members }: RouteDescription): readonly ErrorCode[] {
  if (key !== undefined) return members ? [...KEY_ERRORS, ...MEMBER_ERRORS] : KEY_ERRORS;
  return access === 'anyone' ? ANYONE_ERRORS : ACCOUNT_ERRORS;
}

function accessNote({ access, session }: RouteDescription): string | undefined {
  const notes = {
    anyone: undefined,
    account: undefined,
    viewer: 'For members of the property.',
    editor: 'Needs the role `editor` in the property.',
    admin: 'Needs the role `admin` in the property.',
    owner: 'Only for owners.',
  };
  const note = access && notes[access];
  return session ? [note, 'Access tokens are not accepted.'].filter(Boolean).join(' ') : note;
}

function securityOf({ key, bearer, members, access, session }: RouteDescription): Record<string, never[]>[] {
  if (access === 'anyone') return [];
  const byAccount: Record<string, never[]>[] = session
    ? [{ sessionCookie: [] }]
    : [{ sessionCookie: [] }, { accessToken: [] }];
  if (key === undefined) return byAccount;
  if (key === 'public') return [{ publicKey: [] }, { publicKeyInQuery: [] }];
  return [{ [`${key}Key`]: [] }, ...(bearer ? [{ bearerKey: [] }] : []), ...(members ? byAccount : [])];
}

const text = (description: string) => ({ type: 'string', description });
const HEADERS = {
  'x-request-id': text('Identifies this request in the server log'),
  ratelimit: text('Remaining requests, e.g. `"key";r=4999;t=1`'),
  'ratelimit-policy': text('The rate limit, e.g. `"key";q=5000;w=1`; omitted if the limit is disabled'),
};
const RETRY_AFTER = { 'retry-after': text('Seconds to wait before a retry') };

/** Adds the headers that all responses have in common. */
function withHeaders(responses: Record<number, object>): Record<number, object> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const own = (response as { headers?: object }).headers;
      return [status, { description: 'Success', ...response, headers: { ...HEADERS, ...own } }];
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

/** The responses of a route with an entity tag: 200, or 304 if the client already has this version. */
export const preparedResponses = (response: object, headers: Record<string, object> = {}) => ({
  200: {
    ...response,
    headers: { ...headers, etag: text('Send it as `If-None-Match` in the next request') },
  },
  304: { description: 'Not modified: `If-None-Match` matches the current version', type: 'null' },
});

/** A response without a JSON schema. */
export const plainResponse = (description: string, mediaType?: string) => ({
  description,
  ...(mediaType === undefined
    ? { type: 'null' }
    : { content: { [mediaType]: { schema: { type: 'string' } } } }),
});

/** Options of a route that is not listed in the OpenAPI document. */
export const UNLISTED = { schema: { hide: true } };
