import type { QueryClient } from '@tanstack/react-query';
import { propertyPath, type RequestOptions, requestResponse } from '../../api.ts';
import { cacheItem, configurationKey } from '../configuration/configuration-cache.ts';
import type { ItemOf, ItemType } from '../configuration/configuration-types.ts';
import type { ChangeRequest, DryRunResult, ReviewOutcome } from './change-request.ts';

/** Checks a change on the server without making it. */
export async function dryRun(change: ChangeRequest, signal?: AbortSignal): Promise<DryRunResult> {
  const options = { ...requestOf(change), query: { dryRun: true }, ...(signal !== undefined && { signal }) };
  return (await requestResponse<DryRunResult>(change.path, options)).body;
}

/** Makes a change and puts its result into the configuration in memory. */
export async function sendChange(
  client: QueryClient,
  propertyId: string,
  change: ChangeRequest,
  comment: string,
): Promise<ReviewOutcome> {
  const options = { ...requestOf(change), query: { comment: comment.trim() } };
  const { status, body } = await requestResponse<unknown>(change.path, options);
  void client.invalidateQueries({ queryKey: ['history', propertyId] });
  if (status === 202 && isProposal(body)) {
    void client.invalidateQueries({ queryKey: ['proposals', propertyId] });
    return { outcome: 'proposed' };
  }
  if (change.item === undefined) {
    if (change.path.startsWith(propertyPath(propertyId))) {
      void client.invalidateQueries({ queryKey: configurationKey(propertyId) });
    }
  } else {
    const { type, key } = change.item;
    const item = change.method === 'DELETE' ? undefined : (body as ItemOf<ItemType>);
    cacheItem(client, propertyId, type, key, item);
  }
  return { outcome: 'saved', response: body };
}

function requestOf({ method, body, version }: ChangeRequest): RequestOptions {
  const headers: Record<string, string> = {};
  if (version !== undefined) headers['if-match'] = `"${version}"`;
  else if (method === 'PUT') headers['if-none-match'] = '*';
  return { method, headers, ...(body !== undefined && { body }) };
}

const isProposal = (body: unknown) => typeof body === 'object' && body !== null && 'proposal' in body;
