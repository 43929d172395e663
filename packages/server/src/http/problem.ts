import type { FieldError, Problem } from '@switchyard/core/api/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, ERRORS, type ErrorCode } from '../errors.ts';

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

/** Whatever was thrown, as an error of ours; what we do not know is our fault. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const known = FRAMEWORK_CODES[code ?? ''];
  if (known !== undefined) return new ApiError(known);
  // Anything else that the framework blames on the caller, e.g. an aborted body.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid_request');
  return new ApiError('internal_error');
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = asApiError(error);
  if (problem.code === 'internal_error')
    request.server.logger.error({ err: error, reqId: request.id }, 'request failed');
  if (problem.headers !== undefined) reply.headers(problem.headers);
  return (
    reply
      .code(problem.status)
      // Again, for what fails before any hook has run.
      .header('x-request-id', request.id)
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(problemBody(problem.code, request.id, problem.message, problem.fields)))
  );
}
