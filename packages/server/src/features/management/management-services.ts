import type { FastifyRequest } from 'fastify';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { ResolveProperty } from '../../configuration/definitions/rule-context.ts';
import type { ClockWatch } from '../../configuration/history/clock-watch.ts';
import type { HistoryRedaction, Redacted } from '../../configuration/history/redact-history.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type {
  Changed,
  ChangeRequest,
  ConfigurationWriter,
} from '../../configuration/writer/configuration-writer.ts';
import type { IdempotentCreation } from '../../http/contract/idempotent-creation.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { ChangeInputOf } from './resolve-change.ts';

/** What the management routes share. */
export interface ManagementServices {
  model: ConfigurationModel;
  writer: ConfigurationWriter;
  resolve: ResolveProperty;
  database: Database;
  idempotency: IdempotentCreation;
  clock: Pick<ClockWatch, 'check'>;
  redactHistory: (propertyId: string, wanted: Redacted, dryRun: boolean) => Promise<HistoryRedaction>;
}

export const PROPERTY_URL = '/v1/manage/properties/:propertyId';

interface WriteRequest {
  query: { dryRun?: boolean; comment?: string };
}

/** Who sent the request, and the comment for the history. */
export function changeRequest(request: FastifyRequest & WriteRequest): ChangeRequest {
  const { caller, query } = request;
  return {
    actor: caller.actor,
    via: caller.via,
    comment: query.comment === '' ? null : (query.comment ?? null),
    dryRun: query.dryRun === true,
  };
}

/** Changes the property of a request; it may have been deleted since the request was authorized. */
export function changeManaged(
  { writer }: ManagementServices,
  propertyId: string,
  by: ChangeRequest,
  change: (input: ChangeInputOf) => PropertyConfiguration | undefined | Promise<PropertyConfiguration>,
): Promise<Changed> {
  return writer.changeProperty(propertyId, by, (input) => {
    if (input.current === undefined) throw new ApiError('not_found');
    return change({ ...input, current: input.current });
  });
}
