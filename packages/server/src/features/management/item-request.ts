import { merge } from '@switchyard/core/merge/merge';
import { applyMergePatch } from '@switchyard/core/merge/merge-patch';
import { referencesTo } from '../../configuration/changes/references.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { NO_KEYS, type ResolveProperty } from '../../configuration/definitions/rule-context.ts';
import type { Document } from '../../configuration/property/entities.ts';
import type { Item, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Precondition } from '../../http/contract/precondition.ts';
import { invalidFields } from '../../http/contract/validation.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { type Collection, editable, responseOf, versionOf } from './collections.ts';
import { type ChangeInputOf, resolveChange } from './resolve-change.ts';
import { schemaErrors } from './schema-errors.ts';

/** A request to create, change or delete an item. */
export interface ItemRequest {
  collection: Collection;
  key: string;
  method: 'PUT' | 'PATCH' | 'DELETE';
  body: unknown;
  precondition: Precondition;
}

/** What decides about a request. */
export interface ItemRules {
  model: ConfigurationModel;
  resolve: ResolveProperty;
}

/** The property after the request. A change of other fields than those that changed meanwhile is merged. */
export async function applyItemRequest(
  input: ChangeInputOf,
  request: ItemRequest,
  rules: ItemRules,
): Promise<PropertyConfiguration> {
  const { collection, key, method, precondition } = request;
  const item = rules.model.findItem(input.current, collection.type, key);
  if (item === undefined) {
    if (method !== 'PUT' || precondition.version !== undefined) throw new ApiError('not_found');
    return save(input, request, editable(collection, request.body), rules);
  }
  if (precondition.createOnly) throw conflict(rules, collection, item, [], 'The item exists already.');
  if (precondition.version === undefined) throw new ApiError('version_required');
  if (method === 'DELETE') return removeItem(input.current, request, item, rules);
  return save(input, request, await wantedFields(input, request, item, rules), rules);
}

/** The fields of the item after the request, merged with what changed since the version in the precondition. */
async function wantedFields(
  input: ChangeInputOf,
  request: ItemRequest,
  item: Item,
  rules: ItemRules,
): Promise<Document> {
  const { collection, key, body } = request;
  const current = editable(collection, rules.model.documentOf(collection.type, item));
  const seen = request.precondition.version;
  const isCurrent = seen === 'any' || seen === versionOf(item);
  const earlier = isCurrent ? undefined : await input.documentAtVersion(collection.type, key, Number(seen));
  if (!isCurrent && earlier === undefined) throw conflict(rules, collection, item, ['']);
  const base = earlier === undefined ? current : editable(collection, earlier);
  const wanted =
    request.method === 'PATCH'
      ? editable(collection, applyMergePatch(base, withoutReadOnly(collection, body)))
      : editable(collection, body);
  if (isCurrent) return wanted;
  // With defaults filled in, so that a field that was left out is not a change.
  const complete = completed(input, request, wanted, rules);
  const { merged, conflicts } = merge(base, complete, current);
  if (conflicts.length > 0) throw conflict(rules, collection, item, conflicts);
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
  { model, resolve }: ItemRules,
): Document {
  const { collection, key } = request;
  const candidate = { id: input.current.id, [collection.field]: [checkedEntry(request, fields)] };
  const context = { ...NO_KEYS, now: input.now, mode: 'replace' as const, report: () => {} };
  const { property } = resolve(candidate, input.current, context);
  const item = model.findItem(property, collection.type, key);
  return item === undefined ? fields : editable(collection, model.documentOf(collection.type, item));
}

function save(
  input: ChangeInputOf,
  request: ItemRequest,
  fields: Document,
  { resolve }: ItemRules,
): PropertyConfiguration {
  const { field } = request.collection;
  const candidate = { id: input.current.id, [field]: [checkedEntry(request, fields)] };
  return resolveChange(input, candidate, 'replace', `/${field}/0`, resolve);
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
  rules: ItemRules,
): PropertyConfiguration {
  const { collection, key, precondition } = request;
  const { type, noun } = collection;
  if (precondition.version !== 'any' && precondition.version !== versionOf(item)) {
    throw conflict(rules, collection, item, ['']);
  }
  const references = referencesTo(rules.model, property, { type, key });
  if (references.length > 0) {
    const names = references.map((each) => `${each.type.replace('-', ' ')} "${each.key}"`).join(', ');
    throw new ApiError('in_use', {
      message: `The ${noun} "${key}" is used by ${names}.`,
      details: { references },
    });
  }
  collection.refuseDeletion?.(item, property);
  const others = rules.model.itemsOf(property, type).filter((each) => each !== item);
  return rules.model.withItems(property, type, others);
}

function conflict(
  { model }: ItemRules,
  collection: Collection,
  item: Item,
  conflicts: string[],
  message?: string,
): ApiError {
  const current = responseOf(model, collection.type, item);
  return new ApiError('version_conflict', {
    ...(message !== undefined && { message }),
    details: { current, conflicts },
    headers: { etag: `"${versionOf(item)}"` },
  });
}
