import type { FieldError } from '@switchyard/core/api/problem';

interface ErrorDescription {
  status: number;
  title: string;
  /** What the caller did and what to do about it. */
  message: string;
}

/** Every error an answer can carry; `/docs/errors` and the OpenAPI document are made from this table. */
export const ERRORS = {
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    message: 'The body could not be read as JSON. Send one JSON object, nested at most 32 levels deep.',
  },
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    message: 'Some fields of the request are missing or wrong; `errors` names each of them.',
  },
  option_not_allowed: {
    status: 400,
    title: 'The option is not allowed',
    message: 'The option is not one of the options of this feedback type.',
  },
  message_not_allowed: {
    status: 400,
    title: 'A message is not allowed',
    message: 'This feedback type has no text input. Leave `message` out.',
  },
  amount_required: {
    status: 400,
    title: 'An amount is required',
    message: 'A revenue goal needs an `amount` in dollars.',
  },
  amount_not_positive: {
    status: 400,
    title: 'The amount is not positive',
    message: 'The `amount` of a decrement says how much to subtract: it must be greater than 0.',
  },
  feedback_empty: {
    status: 400,
    title: 'The feedback is empty',
    message: 'Send at least one of `option` and `message`.',
  },
  api_key_missing: {
    status: 401,
    title: 'The API key is missing',
    message: 'Send the API key in the `x-api-key` header.',
  },
  api_key_invalid: {
    status: 401,
    title: 'The API key is not valid',
    message: 'The API key is unknown or was deleted.',
  },
  metrics_token_required: {
    status: 401,
    title: 'The metrics token is missing or wrong',
    message: 'Send the value of the setting `METRICS_TOKEN` as `Authorization: Bearer <token>`.',
  },
  metrics_local_only: {
    status: 403,
    title: 'Metrics are for this machine only',
    message:
      'Without the setting `METRICS_TOKEN` only requests from the machine itself, not through a proxy, get metrics.',
  },
  wrong_key_kind: {
    status: 403,
    title: 'The API key is of the wrong kind',
    message: 'Browsers use the public key (`service_pub_…`), servers the secret key (`service_sec_…`).',
  },
  wrong_property: {
    status: 403,
    title: 'The property is not that of the API key',
    message: 'The API key does not belong to the property named by `propertyId`.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The origin is not allowed',
    message: 'The property lists the origins whose pages may call it, and this one is not among them.',
  },
  goal_not_found: {
    status: 404,
    title: 'There is no such goal',
    message: 'The property has no goal with this id.',
  },
  feedback_type_not_found: {
    status: 404,
    title: 'There is no such feedback type',
    message: 'The property has no feedback type with this id.',
  },
  split_test_not_found: {
    status: 404,
    title: 'There is no such split test',
    message: 'The property has no split test with this key and variation.',
  },
  environment_not_found: {
    status: 404,
    title: 'There is no such environment',
    message: 'The property has no environment with this id.',
  },
  not_found: { status: 404, title: 'Not found', message: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed',
    message: 'This address does not answer this method; the `Allow` header names those it answers.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The first request is still under way',
    message: 'A request with this `Idempotency-Key` has not finished yet. Try again in a moment.',
  },
  body_too_large: { status: 413, title: 'The body is too large', message: 'A body may have at most 1 MiB.' },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    message: 'Send the body as JSON with the header `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used before',
    message: 'This `Idempotency-Key` was used within the last 24 hours with another body.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    message:
      'The API key or the client address is over its rate limit; `RateLimit` names which. Try again after the time in `Retry-After`.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    message: 'The request failed through no fault of yours. The log has it under the request id.',
  },
  overloaded: {
    status: 503,
    title: 'Too busy',
    message:
      'The server is too busy for this request; nothing was stored. Try again after the time in `Retry-After`.',
  },
  storage_damaged: {
    status: 503,
    title: 'The event store is damaged',
    message:
      'Stored events cannot be read until the operator has restored them; the log of the server says more. New events are still accepted.',
  },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof ERRORS;

/** Thrown by services, answered by the one error handler. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    code: ErrorCode,
    options: { message?: string; fields?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(options.message ?? ERRORS[code].message);
    this.code = code;
    this.status = ERRORS[code].status;
    this.fields = options.fields;
    this.headers = options.headers;
  }
}

/** A single field found wrong after the schema was satisfied. */
export function invalidField(pointer: string, detail: string, code: ErrorCode = 'invalid_request'): ApiError {
  return new ApiError(code, { message: detail, fields: [{ pointer, code, detail }] });
}
