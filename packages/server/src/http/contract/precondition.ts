import type { ConditionalHeaders } from '@switchyard/core/api/management';
import { ApiError } from '../../platform/errors/errors.ts';

/** The versions of an item to which a request may apply. */
export interface Precondition {
  /** The version that the caller has seen, or any. */
  version?: number | 'any';
  createOnly: boolean;
}

export function preconditionOf(headers: ConditionalHeaders): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  return { ...(match !== undefined && { version: parseVersion(match) }), createOnly: noneMatch === '*' };
}

/** Accepts weak tags, because compressing proxies weaken ours. */
function parseVersion(text: string): number | 'any' {
  if (text.trim() === '*') return 'any';
  const digits = /^(?:W\/)?("?)(\d{1,15})\1$/.exec(text.trim())?.[2];
  if (digits !== undefined) return Number(digits);
  const detail = 'must be a version like "3", as returned in ETag, or *';
  throw new ApiError('invalid_request', {
    message: `If-Match ${detail}.`,
    fields: [{ pointer: '/if-match', code: 'invalid', detail }],
  });
}
