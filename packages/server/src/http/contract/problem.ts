import type { FieldError, Problem, ProblemDetails } from '@switchyard/core/api/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, ERRORS, type ErrorCode } from '../../platform/errors/errors.ts';
import type { StorageErrorCode } from '../../platform/errors/storage-error.ts';
import { discardBody } from './discard-body.ts';

declare module 'fastify' {
  interface FastifyInstance {
    logger: Logger;
  }
}

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function problemBody(
  code: ErrorCode,
  requestId: string,
  message: string = ERRORS[code].message,
  fields?: readonly FieldError[],
  details?: ProblemDetails,
): Problem {
  const { status, title } = ERRORS[code];
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    detail: message,
    requestId,
    success: false,
    error: { code, message },
    ...(fields === undefined ? {} : { errors: [...fields] }),
    ...details,
  };
}

const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_EMPTY_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'invalid_request',
};

interface StorageErrorResponse {
  code: ErrorCode;
  /** Seconds. */
  retryAfter?: string;
  /** Includes the message of the storage error. */
  keepMessage?: true;
}

const STORAGE_CODES: Record<StorageErrorCode, StorageErrorResponse> = {
  STORAGE_OVERLOADED: { code: 'overloaded', retryAfter: '1' },
  // Space is freed as keys expire, which takes longer than seconds.
  STORE_DAMAGED: { code: 'storage_damaged', retryAfter: '60' },
  DATABASE_UNAVAILABLE: { code: 'database_unavailable', retryAfter: '2' },
  STORE_UNAVAILABLE: { code: 'event_store_unavailable', retryAfter: '5' },
  QUERY_TOO_LARGE: { code: 'report_too_large' },
  PROPERTY_BEING_DELETED: { code: 'property_being_deleted', retryAfter: '5' },
  REQUEST_TOO_LARGE: { code: 'body_too_large', keepMessage: true },
};

function storageProblem(code: string | undefined, message: string): ApiError | undefined {
  if (code === undefined || !Object.hasOwn(STORAGE_CODES, code)) return undefined;
  const { code: known, retryAfter, keepMessage } = STORAGE_CODES[code as StorageErrorCode];
  return new ApiError(known, {
    ...(keepMessage ? { message } : {}),
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
  });
}

/** Maps anything thrown to an API error; unknown errors become `internal_error`. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message: string };
  const fromStorage = storageProblem(code, message);
  if (fromStorage !== undefined) return fromStorage;
  const known = FRAMEWORK_CODES[code ?? ''];
  if (known !== undefined) return new ApiError(known);
  // Other client errors reported by Fastify, e.g. an aborted body.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid_request');
  return new ApiError('internal_error');
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const cause = asApiError(error);
  // The body, which could have the key, cannot be read: without a key, callers learn nothing else.
  const problem = request.awaitsKey ? new ApiError('api_key_missing') : cause;
  if (problem.code === 'internal_error')
    request.server.logger.error({ err: error, reqId: request.id }, 'request failed');
  if (problem.headers !== undefined) reply.headers(problem.headers);
  const send = () =>
    reply
      .code(problem.status)
      // Again, for errors before any hook has run.
      .header('x-request-id', request.id)
      .type(PROBLEM_TYPE)
      .send(
        JSON.stringify(
          problemBody(problem.code, request.id, problem.message, problem.fields, problem.details),
        ),
      );
  if (cause.code !== 'body_too_large') return send();
  discardBody(request.raw, send);
  return reply;
}
