import { merge } from '@switchyard/core/merge/merge';
import { applyMergePatch } from '@switchyard/core/merge/merge-patch';
import { ApiError } from '../../errors.ts';
import type { Precondition } from '../../http/precondition.ts';
import { invalidFields } from '../../http/validation.ts';
import type { ChangeInput } from '../../storage/changes/configuration-writer.ts';
import {
  COLLECTIONS,
  type Document,
  documentOf,
  findItem,
  type Item,
  keyOf,
} from '../../storage/changes/entities.ts';
import { NO_KEYS, type ResolveProperty } from '../../storage/changes/property-rules.ts';
import { referencesTo } from '../../storage/changes/references.ts';
import { PRODUCTION, type PropertyConfiguration } from '../../storage/property-configuration.ts';
import { type Collection, editable, responseOf } from './collections.ts';
import { resolveProperty } from './resolve-property.ts';
import { schemaErrors } from './schema-errors.ts';

/** A request to create, change or delete an item. */
export interface ItemRequest {
  collection: Collection;
  key: string;
  method: 'PUT' | 'PATCH' | 'DELETE';
  body: unknown;
  precondition: Precondition;
}

export type ChangeInputOf = ChangeInput & { current: PropertyConfiguration };

/** The property after the request. A change of other fields than those that changed meanwhile is merged. */
export async function applyItemRequest(
  input: ChangeInputOf,
  request: ItemRequest,
  resolve: ResolveProperty,
): Promise<PropertyConfiguration> {
  const { collection, key, method, precondition } = request;
  const item = findItem(input.current, collection.type, key);
  if (item === undefined) {
    if (method !== 'PUT' || precondition.version !== undefined) throw new ApiError('not_found');
    return save(input, request, editable(collection, request.body), resolve);
  }
  if (precondition.createOnly) throw conflict(collection, item, [], 'The item exists already.');
  if (precondition.version === undefined) throw new ApiError('version_required');
  if (method === 'DELETE') return removeItem(input.current, request, item);
  return save(input, request, await wantedFields(input, request, item, resolve), resolve);
}

/** The fields of the item after the request, merged with what changed since the version in the precondition. */
async function wantedFields(
  input: ChangeInputOf,
  request: ItemRequest,
  item: Item,
  resolve: ResolveProperty,
): Promise<Document> {
  const { collection, key, body } = request;
  const current = editable(collection, documentOf(collection.type, item));
  const seen = request.precondition.version;
  const isCurrent = seen === 'any' || seen === Reflect.get(item, 'version');
  const earlier = isCurrent ? undefined : await input.documentAtVersion(collection.type, key, Number(seen));
  if (!isCurrent && earlier === undefined) throw conflict(collection, item, ['']);
  const base = earlier === undefined ? current : editable(collection, earlier);
  const wanted =
    request.method === 'PATCH'
      ? editable(collection, applyMergePatch(base, withoutReadOnly(collection, body)))
      : editable(collection, body);
  if (isCurrent) return wanted;
  // With defaults filled in, so that a field that was left out is not a change.
  const complete = completed(input, request, wanted, resolve);
  const { merged, conflicts } = merge(base, complete, current);
  if (conflicts.length > 0) throw conflict(collection, item, conflicts);
  return editable(collection, merged);
}

/** Keeps null, which removes a field. */
function withoutReadOnly(collection: Collection, patch: unknown): unknown {
  const kept = editable(collection, patch);
  const nulls = Object.entries(patch as object).filter(([name, value]) => {
    return value === null && !collection.readOnly.includes(name);
  });
  return { ...kept, ...Object.fromEntries(nulls) };
}

function completed(
  input: ChangeInputOf,
  request: ItemRequest,
  fields: Document,
  resolve: ResolveProperty,
): Document {
  const { collection, key } = request;
  const candidate = { id: input.current.id, [collection.field]: [checkedEntry(request, fields)] };
  const context = { ...NO_KEYS, now: input.now, mode: 'replace' as const, report: () => {} };
  const item = findItem(resolve(candidate, input.current, context).property, collection.type, key);
  return item === undefined ? fields : editable(collection, documentOf(collection.type, item));
}

function save(
  input: ChangeInputOf,
  request: ItemRequest,
  fields: Document,
  resolve: ResolveProperty,
): PropertyConfiguration {
  const { field } = request.collection;
  const candidate = { id: input.current.id, [field]: [checkedEntry(request, fields)] };
  return resolveProperty(input, candidate, 'replace', `/${field}/0`, resolve);
}

/** The fields as an entry of a provision file, whose shape the rules rely on. */
function checkedEntry({ collection, key }: ItemRequest, fields: Document): Document {
  const { keyField, body } = collection;
  const given = fields[keyField];
  if (given !== undefined && given !== key) {
    const detail = `must be "${key}", as in the URL`;
    throw invalidFields([{ pointer: `/${keyField}`, code: 'invalid', detail }]);
  }
  const entry = { ...fields, [keyField]: key };
  const errors = schemaErrors(body, entry);
  if (errors.length > 0) throw invalidFields(errors);
  return entry;
}

function removeItem(
  property: PropertyConfiguration,
  request: ItemRequest,
  item: Item,
): PropertyConfiguration {
  const { collection, key, precondition } = request;
  const { type, noun } = collection;
  if (precondition.version !== 'any' && precondition.version !== Reflect.get(item, 'version')) {
    throw conflict(collection, item, ['']);
  }
  const references = referencesTo(property, type, key);
  if (references.length > 0) {
    const names = references.map((each) => `${each.type.replace('-', ' ')} "${each.key}"`).join(', ');
    throw new ApiError('in_use', {
      message: `The ${noun} "${key}" is used by ${names}.`,
      details: { references },
    });
  }
  if (type === 'environment' && key === PRODUCTION.id) {
    throw new ApiError('in_use', {
      message: 'Every property has the environment "production".',
      details: { references: [{ type: 'property', key: property.id }] },
    });
  }
  if ('status' in item && (item.status === 'running' || item.status === 'paused')) {
    throw new ApiError('transition_not_allowed', {
      message: `The split test is ${item.status}. Stop it first; its results are lost with it.`,
      details: { allowed: ['stop'] },
    });
  }
  const list = COLLECTIONS[type];
  return { ...property, [list]: property[list].filter((each) => keyOf(type, each) !== key) };
}

function conflict(collection: Collection, item: Item, conflicts: string[], message?: string): ApiError {
  const current = responseOf(collection.type, item);
  return new ApiError('version_conflict', {
    ...(message !== undefined && { message }),
    details: { current, conflicts },
    headers: { etag: `"${Reflect.get(item, 'version')}"` },
  });
}
