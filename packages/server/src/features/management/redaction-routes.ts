import {
  HistoryRedaction as HistoryRedactionSchema,
  PropertyParams,
  RedactionBody,
  WriteQuery,
} from '@switchyard/core/api/management';
import {
  type HistoryRedaction,
  type Redacted,
  TextInUseError,
} from '../../configuration/history/redact-history.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import { type ManagementServices, PROPERTY_URL } from './management-services.ts';

/** Removes text about people from the history, which keeps its chain. */
export function registerRedactionRoutes(api: ApiRoutes, { redactHistory }: ManagementServices): void {
  api.post<{ Body: RedactionBody; Querystring: WriteQuery }>(
    `${PROPERTY_URL}/history/redactions`,
    {
      tag: 'Management',
      summary: 'Remove text from the history, for good',
      description:
        'Replaces a text, or all e-mail addresses, by `[redacted]` in changes and comments, proposals and messages of webhooks. The chain of hashes remains valid. Text of the present configuration cannot be redacted: remove it there first. With `dryRun`, only names the entries. Backups keep the text until they are deleted.',
      access: 'owner',
      params: PropertyParams,
      querystring: WriteQuery,
      body: RedactionBody,
      responses: { 200: { ...HistoryRedactionSchema, description: 'What was redacted, or would be' } },
      errors: ['in_use'],
    },
    async ({ managed, body, query: { dryRun = false } }) => {
      const redaction = await redactHistory(managed.id, wantedOf(body), dryRun).catch(refuseInUse);
      return redactionResponse(redaction, dryRun);
    },
  );
}

function wantedOf({ text, emails }: RedactionBody): Redacted {
  if (text !== undefined && emails !== undefined)
    throw invalidField('/emails', 'cannot be combined with `text`');
  if (text === undefined) return { emails: true };
  if (text.trim().length < 3) throw invalidField('/text', 'must have at least 3 characters');
  return { text: text.trim() };
}

function refuseInUse(error: unknown): never {
  throw error instanceof TextInUseError ? new ApiError('in_use', { message: error.message }) : error;
}

export function redactionResponse(
  { entries, others, kept }: HistoryRedaction,
  dryRun: boolean,
): HistoryRedactionSchema {
  return {
    dryRun,
    entries: entries.map(({ id, at, entity_type, entity_key, action, version }) => ({
      id,
      at,
      entity: { type: entity_type, key: entity_key },
      action,
      version,
    })),
    others,
    kept,
  };
}
