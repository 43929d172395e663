import { changedItems } from '../../configuration/changes/item-changes.ts';
import { affectedEnvironments } from '../../configuration/changes/protected-environments.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { HistoryState } from '../../configuration/history/history-state.ts';
import { redactedPlaces } from '../../configuration/history/redacted-text.ts';
import type { EntityType } from '../../configuration/property/entities.ts';
import type { ItemType, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { collectionOf, editable } from './collections.ts';
import { applyItemRequest, type ItemRules } from './item-request.ts';
import { completeSettings } from './property-settings.ts';
import { type ChangeInputOf, resolveChange } from './resolve-change.ts';

/** Editors restore what they may change; deleting an item needs an admin. */
export function mayEditorRestore(
  model: ConfigurationModel,
  { type, key }: { type: EntityType; key: string },
  state: HistoryState,
): boolean {
  if (type === 'property') return false;
  return collectionOf(model, type)?.access === 'editor' && state.item(type, key) !== undefined;
}

/** An editor's change of a protected environment would be a proposal, which a restore cannot become. */
export function refuseProtected(
  model: ConfigurationModel,
  current: PropertyConfiguration,
  next: PropertyConfiguration,
): void {
  const affected = affectedEnvironments(current, next, changedItems(model, current, next));
  if (affected.length === 0) return;
  throw new ApiError('role_required', {
    message: `This affects the protected environment "${affected.join('", "')}". Ask an admin to restore it.`,
  });
}

/** The property with one item as it was in an earlier state. */
export async function restoreState(
  input: ChangeInputOf,
  { type, key }: { type: EntityType; key: string },
  state: HistoryState,
  rules: ItemRules,
): Promise<PropertyConfiguration> {
  if (type === 'property') return restoreSettings(input, state, rules);
  const { model } = rules;
  if (model.collection(type).restore !== undefined)
    return restoreItem(input.current, { type, key }, state, model);
  const earlier = state.item(type, key);
  const collection = collectionOf(model, type);
  const exists = model.findItem(input.current, type, key) !== undefined;
  if (collection === undefined) {
    const message = 'The text of a deleted API key is not stored. Create a new one.';
    throw new ApiError('not_restorable', { message });
  }
  const request = { collection, key, precondition: { version: 'any' as const, createOnly: false } };
  if (earlier === undefined) {
    if (!exists) return input.current;
    return applyItemRequest(input, { ...request, method: 'DELETE', body: undefined }, rules);
  }
  refuseRedacted(earlier.document);
  const body = editable(collection, earlier.document);
  const precondition = exists ? request.precondition : { createOnly: false };
  return applyItemRequest(input, { ...request, precondition, method: 'PUT', body }, rules);
}

/** The text is gone, so somebody has to enter it. */
function refuseRedacted(document: object): void {
  const places = redactedPlaces(document);
  if (places.length === 0) return;
  throw new ApiError('not_restorable', {
    message: `Text of this version was redacted, at ${places.join(', ')}. Enter it by hand instead.`,
    fields: places.map((pointer) => ({ pointer, code: 'redacted', detail: 'was redacted' })),
  });
}

function restoreSettings(input: ChangeInputOf, state: HistoryState, rules: ItemRules): PropertyConfiguration {
  if (state.property === undefined) {
    throw new ApiError('not_restorable', { message: 'The property did not exist. Delete it instead.' });
  }
  refuseRedacted(state.property);
  const candidate = completeSettings(input.current.id, state.property);
  return resolveChange(input, candidate, 'merge', '', rules.resolve);
}

/** An item that no request of the management API can save. */
function restoreItem(
  property: PropertyConfiguration,
  { type, key }: { type: ItemType; key: string },
  state: HistoryState,
  model: ConfigurationModel,
): PropertyConfiguration {
  const present = model.findItem(property, type, key);
  const others = model.itemsOf(property, type).filter((item) => item !== present);
  const earlier = state.item(type, key);
  if (earlier === undefined) return model.withItems(property, type, others);
  const restored = model.collection(type).restore?.(model.itemOf(type, earlier.document, 0), present);
  return model.withItems(property, type, restored === undefined ? others : [...others, restored]);
}
