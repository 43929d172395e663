import { ApiError } from '../../errors.ts';
import { COLLECTIONS, type EntityType, findItem, itemOf, keyOf } from '../../storage/changes/entities.ts';
import { changedItems } from '../../storage/changes/item-changes.ts';
import type { ResolveProperty } from '../../storage/changes/property-rules.ts';
import { affectedEnvironments } from '../../storage/changes/protected-environments.ts';
import type { HistoryState } from '../../storage/history/history-state.ts';
import { redactedPlaces } from '../../storage/history/redacted-text.ts';
import type { Member, PropertyConfiguration } from '../../storage/property-configuration.ts';
import { collectionOf, editable } from './collections.ts';
import { applyItemRequest, type ChangeInputOf } from './item-request.ts';
import { completeSettings } from './property-settings.ts';
import { resolveProperty } from './resolve-property.ts';

/** Editors restore what they may change; deleting an item needs an admin. */
export function mayEditorRestore(
  { type, key }: { type: EntityType; key: string },
  state: HistoryState,
): boolean {
  if (type === 'property') return false;
  return collectionOf(type)?.access === 'editor' && state.item(type, key) !== undefined;
}

/** An editor's change of a protected environment would be a proposal, which a restore cannot become. */
export function refuseProtected(current: PropertyConfiguration, next: PropertyConfiguration): void {
  const affected = affectedEnvironments(current, next, changedItems(current, next));
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
  resolve: ResolveProperty,
): Promise<PropertyConfiguration> {
  if (type === 'property') return restoreSettings(input, state, resolve);
  const earlier = state.item(type, key);
  if (type === 'member') return restoreMember(input.current, key, state);
  const collection = collectionOf(type);
  const exists = findItem(input.current, type, key) !== undefined;
  if (collection === undefined) {
    const message = 'The text of a deleted API key is not stored. Create a new one.';
    throw new ApiError('not_restorable', { message });
  }
  const request = { collection, key, precondition: { version: 'any' as const, createOnly: false } };
  if (earlier === undefined) {
    if (!exists) return input.current;
    return applyItemRequest(input, { ...request, method: 'DELETE', body: undefined }, resolve);
  }
  refuseRedacted(earlier.document);
  const body = editable(collection, earlier.document);
  const precondition = exists ? request.precondition : { createOnly: false };
  return applyItemRequest(input, { ...request, precondition, method: 'PUT', body }, resolve);
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

function restoreSettings(
  input: ChangeInputOf,
  state: HistoryState,
  resolve: ResolveProperty,
): PropertyConfiguration {
  if (state.property === undefined) {
    throw new ApiError('not_restorable', { message: 'The property did not exist. Delete it instead.' });
  }
  refuseRedacted(state.property);
  const candidate = completeSettings(input.current.id, state.property);
  return resolveProperty(input, candidate, 'merge', '', resolve);
}

function restoreMember(
  property: PropertyConfiguration,
  accountId: string,
  state: HistoryState,
): PropertyConfiguration {
  const list = COLLECTIONS.member;
  const others = property[list].filter((member) => keyOf('member', member) !== accountId);
  const earlier = state.item('member', accountId);
  if (earlier === undefined) return { ...property, [list]: others };
  const restored = itemOf('member', earlier.document, 0) as Member;
  // Somebody who was removed and invited again has been a member since then.
  const known = property[list].find((member) => member.accountId === accountId);
  const member = known === undefined ? restored : { ...known, role: restored.role };
  return { ...property, [list]: [...others, member] };
}
