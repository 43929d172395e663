import { randomUUID } from 'node:crypto';
import { jsonResponse, type RelayResponse } from './relay-response.ts';

/** The errors of the service that pages can get, with the same codes. */
const PROBLEMS = {
  invalid_json: [400, 'Invalid JSON', 'The request body is not valid JSON. Send one JSON object.'],
  invalid_request: [400, 'Invalid request', 'Some fields are missing or invalid; see `errors`.'],
  option_not_allowed: [400, 'Option not allowed', 'This feedback type does not have that option.'],
  message_not_allowed: [400, 'Message not allowed', 'This feedback type has no text input. Omit `message`.'],
  amount_required: [400, 'Amount required', 'Revenue goals require an `amount` in dollars.'],
  feedback_empty: [400, 'Empty feedback', 'Send at least one of `option` and `message`.'],
  cross_origin: [
    403,
    'Cross-origin request refused',
    'Only pages of this origin can use the relay. If this was one of them, and a proxy changes the `Host` header, add its origin to `origins`.',
  ],
  wrong_property: [
    403,
    'Wrong property',
    'The relay belongs to another property than the one in `propertyId`.',
  ],
  goal_not_found: [404, 'Goal not found', 'There is no goal with this id, or the relay does not list it.'],
  feedback_type_not_found: [
    404,
    'Feedback type not found',
    'There is no feedback type with this id, or the relay does not list it.',
  ],
  not_found: [404, 'Not found', 'There is no resource at this URL.'],
  method_not_allowed: [
    405,
    'Method not allowed',
    'This URL does not support this method; the `Allow` header lists the supported methods.',
  ],
  body_too_large: [413, 'Body too large', 'The body is too large.'],
  unsupported_media_type: [
    415,
    'Unsupported media type',
    'Send the body as JSON with the header `Content-Type: application/json`.',
  ],
  idempotency_key_reused: [
    422,
    'Idempotency key reused',
    'This `Idempotency-Key` was used with a different body within the last 24 hours.',
  ],
  rate_limited: [
    429,
    'Too many requests',
    'The client address or the session exceeded its rate limit. Try again after the time in `Retry-After`.',
  ],
  internal_error: [500, 'Internal error', 'An unexpected error occurred on the server.'],
  overloaded: [
    503,
    'Service unavailable',
    'The service cannot be reached or is too busy; nothing was stored. Try again after the time in `Retry-After`.',
  ],
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldError {
  pointer: string;
  detail: string;
}

interface ProblemOptions {
  message?: string;
  fields?: readonly FieldError[];
  headers?: Record<string, string>;
}

/** Thrown by the handlers of the relay; the page gets the problem document. */
export class RelayProblem extends Error {
  readonly code: ProblemCode;
  readonly fields: readonly FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, { message, fields, headers = {} }: ProblemOptions = {}) {
    super(message ?? PROBLEMS[code][2]);
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }
}

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);

/** 503 with `Retry-After`. */
export function unavailable(retryAfter = '5'): RelayProblem {
  return new RelayProblem('overloaded', { headers: { 'retry-after': retryAfter } });
}

export function bodyTooLarge(maxBytes: number): RelayProblem {
  return new RelayProblem('body_too_large', {
    message: `The body is too large. The limit is ${maxBytes / 1024} KiB.`,
  });
}

/** The same format as that of the service: RFC 9457 with `success`, `error` and `errors`. */
export function problemResponse({ code, message, fields, headers }: RelayProblem): RelayResponse {
  const [status, title] = PROBLEMS[code];
  const requestId = randomUUID();
  const body = {
    // The documentation of the errors is not on the site that the relay runs on.
    type: 'about:blank',
    title,
    status,
    detail: message,
    requestId,
    success: false,
    error: { code, message },
    ...(fields && { errors: fields.map((field) => ({ ...field, code })) }),
  };
  return jsonResponse(body, {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'x-request-id': requestId,
      ...headers,
    },
  });
}
