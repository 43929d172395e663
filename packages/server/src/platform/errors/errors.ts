import type { FieldError, ProblemDetails } from '@switchyard/core/api/problem';

interface ErrorDescription {
  status: number;
  title: string;
  /** What went wrong and how the caller can fix it. */
  message: string;
}

/** All API errors. The OpenAPI document is generated from this table, and a check compares docs/errors.md with it. */
export const ERRORS = {
  invalid_json: {
    status: 400,
    title: 'Invalid JSON',
    message: 'The request body is not valid JSON. Send one JSON object, nested at most 32 levels deep.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    message: 'Some fields are missing or invalid; see `errors`.',
  },
  option_not_allowed: {
    status: 400,
    title: 'Option not allowed',
    message: 'This feedback type does not have that option.',
  },
  message_not_allowed: {
    status: 400,
    title: 'Message not allowed',
    message: 'This feedback type has no text input. Omit `message`.',
  },
  amount_required: {
    status: 400,
    title: 'Amount required',
    message: 'Revenue goals require an `amount` in dollars.',
  },
  amount_not_positive: {
    status: 400,
    title: 'Amount not positive',
    message:
      'The `amount` of a decrement is the amount to subtract and must be greater than 0. An `amount` above 0 must be at least a millionth of a dollar.',
  },
  feedback_empty: {
    status: 400,
    title: 'Empty feedback',
    message: 'Send at least one of `option` and `message`.',
  },
  api_key_missing: {
    status: 401,
    title: 'API key missing',
    message: 'Send the API key in the `x-api-key` header.',
  },
  api_key_invalid: {
    status: 401,
    title: 'Invalid API key',
    message: 'The API key does not exist or was deleted. Use one that the dashboard lists under API keys.',
  },
  sign_in_required: {
    status: 401,
    title: 'Sign-in required',
    message: 'Sign in, or send an access token as `Authorization: Bearer service_adm_…`.',
  },
  sign_in_failed: {
    status: 401,
    title: 'Sign-in failed',
    message: 'The email, password or code is wrong.',
  },
  code_required: {
    status: 401,
    title: 'Two-factor code required',
    message: 'Send the code of the authenticator app, or a recovery code, as `code`.',
  },
  metrics_token_required: {
    status: 401,
    title: 'Metrics token missing or invalid',
    message: 'Send the value of `METRICS_TOKEN` as `Authorization: Bearer <token>`.',
  },
  metrics_local_only: {
    status: 403,
    title: 'Metrics are only available locally',
    message:
      'Metrics are only available from the machine the server runs on, and not through a proxy. Set `METRICS_TOKEN` to allow remote access.',
  },
  cross_origin: {
    status: 403,
    title: 'Cross-origin request refused',
    message:
      'Requests that change something with the session cookie must come from the origin of this server. If this was its own page, set `PUBLIC_URL` to the address that the browser shows.',
  },
  role_required: {
    status: 403,
    title: 'Role required',
    message: 'Your role in this property is too low for this.',
  },
  wrong_key_kind: {
    status: 403,
    title: 'Wrong kind of API key',
    message:
      'Use the public key (`service_pub_…`) for browser endpoints and the secret key (`service_sec_…`) for server endpoints.',
  },
  wrong_property: {
    status: 403,
    title: 'Wrong property',
    message:
      'The API key does not belong to the property in `propertyId`. Use the key and the id of the same property.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Origin not allowed',
    message: 'The origin of this page is not in the list of allowed origins of the property.',
  },
  goal_not_found: {
    status: 404,
    title: 'Goal not found',
    message: 'The property has no goal with this id.',
  },
  feedback_type_not_found: {
    status: 404,
    title: 'Feedback type not found',
    message: 'The property has no feedback type with this id.',
  },
  split_test_not_found: {
    status: 404,
    title: 'Split test not found',
    message: 'The property has no split test with this key and variation.',
  },
  environment_not_found: {
    status: 404,
    title: 'Environment not found',
    message: 'The property has no environment with this id.',
  },
  not_found: { status: 404, title: 'Not found', message: 'There is no resource at this URL.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    message: 'This URL does not support this method; the `Allow` header lists the supported methods.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'Request still in progress',
    message: 'Another request with this `Idempotency-Key` is still in progress. Try again in a moment.',
  },
  already_set_up: {
    status: 409,
    title: 'Already set up',
    message: 'The first owner already exists. Sign in instead.',
  },
  last_owner: {
    status: 409,
    title: 'Last owner',
    message: 'This is the last owner who can sign in. Make another account an owner first.',
  },
  already_exists: {
    status: 409,
    title: 'Already exists',
    message: 'There is already an item with this id.',
  },
  property_being_deleted: {
    status: 409,
    title: 'Property being deleted',
    message:
      'The events of a deleted property with this id are still being deleted. Use another id, or try again later.',
  },
  transition_not_allowed: {
    status: 409,
    title: 'Transition not allowed',
    message: 'The status of the split test does not allow this.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    message: 'Other items refer to it; see `references`.',
  },
  not_restorable: {
    status: 409,
    title: 'Cannot be restored',
    message: 'The state of this history entry cannot be restored.',
  },
  proposal_closed: {
    status: 409,
    title: 'Proposal closed',
    message: 'The proposal has already been approved or rejected.',
  },
  invitation_invalid: {
    status: 410,
    title: 'Invitation not valid',
    message: 'The invitation has expired, was used or was revoked. Ask for a new one.',
  },
  version_conflict: {
    status: 412,
    title: 'Version conflict',
    message: 'The same fields have changed since the version in `If-Match`; see `conflicts` and `current`.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    message: 'The body is too large. The limit is 1 MiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    message: 'Send the body as JSON with the header `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    message: 'This `Idempotency-Key` was used with a different body within the last 24 hours.',
  },
  report_too_large: {
    status: 422,
    title: 'Report too large',
    message:
      'This needs more memory or time than ClickHouse may use for it. Ask for a shorter period, or for fewer filters, goals or groups. The operator can raise `CLICKHOUSE_MAX_MEMORY`.',
  },
  version_required: {
    status: 428,
    title: 'Version required',
    message:
      'Send the version that you are changing as `If-Match`, as returned in `ETag`; in a proposal, as `baseVersion`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    message:
      'The API key, the account or the client address exceeded its rate limit; the `RateLimit` header shows which. Try again after the time in `Retry-After`.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    message: 'An unexpected error occurred on the server. Search the server log for the request id.',
  },
  overloaded: {
    status: 503,
    title: 'Server overloaded',
    message:
      'The server is too busy to handle this request; nothing was stored. Try again after the time in `Retry-After`.',
  },
  too_many_streams: {
    status: 503,
    title: 'Too many streams',
    message:
      'The server, or this key or account, has too many open streams. Close some, or try again after the time in `Retry-After`.',
  },
  storage_damaged: {
    status: 503,
    title: 'Event store damaged',
    message:
      'Stored events cannot be read until the operator restores them; see the server log for details. New events are still accepted.',
  },
  database_unavailable: {
    status: 503,
    title: 'Configuration database not available',
    message:
      'The configuration database cannot be reached. Events, split tests and flags are not affected. A change may have been saved: look before you send it again. Try again after the time in `Retry-After`.',
  },
  event_store_unavailable: {
    status: 503,
    title: 'Event store unavailable',
    message:
      'Stored events cannot be read at present, because the event store does not respond. New events are still accepted. Try again after the time in `Retry-After`.',
  },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof ERRORS;

/** Of every request that reads many events. */
export const EVENT_QUERY_ERRORS = [
  'storage_damaged',
  'event_store_unavailable',
  'report_too_large',
] as const satisfies readonly ErrorCode[];

interface ErrorOptions {
  message?: string;
  fields?: readonly FieldError[];
  headers?: Record<string, string>;
  /** Further members of the response body. */
  details?: ProblemDetails;
}

/** Thrown by services and turned into a response by the error handler. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly details: ProblemDetails | undefined;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message);
    this.code = code;
    this.status = ERRORS[code].status;
    this.fields = options.fields;
    this.headers = options.headers;
    this.details = options.details;
  }
}

/** The error for a single field that matches the schema but is still invalid. */
export function invalidField(pointer: string, detail: string, code: ErrorCode = 'invalid_request'): ApiError {
  // Some details are sentences, others continue the name of the field.
  const message = /^[a-z]/.test(detail) ? `${pointer} ${detail}.` : detail;
  return new ApiError(code, { message, fields: [{ pointer, code, detail }] });
}
