import type { Database } from '../../configuration/database/database.ts';
import { derivePhases } from '../../configuration/phases/derive-phases.ts';
import type { ItemType, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { invalidFields } from '../../http/contract/validation.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { collectionOf } from './collections.ts';
import { applyItemRequest, type ItemRules } from './item-request.ts';
import type { ChangeInputOf } from './resolve-change.ts';

interface UnsavedItem {
  type: ItemType;
  key: string;
  /** Like the body of `PUT`; null deletes the item. */
  definition: object | null;
}

/** The property as it would be after saving an item; refuses what a save would refuse. */
export type WithUnsavedItem = (
  current: PropertyConfiguration,
  item: UnsavedItem,
) => Promise<PropertyConfiguration>;

/** Pointers of what is wrong start with `/definition`. */
export function createUnsavedItems(database: Database, rules: ItemRules): WithUnsavedItem {
  return async (current, { type, key, definition }) => {
    const collection = collectionOf(rules.model, type)!;
    const exists = rules.model.findItem(current, type, key) !== undefined;
    const now = Date.now();
    const input: ChangeInputOf = {
      current,
      now,
      nextVersion: current.version + 1,
      database,
      setEffectiveTime: () => {},
      documentAtVersion: async () => undefined,
    };
    const request = {
      collection,
      key,
      body: definition ?? undefined,
      method: definition === null ? ('DELETE' as const) : ('PUT' as const),
      precondition: { ...(exists && { version: 'any' as const }), createOnly: false },
    };
    const next = await applyItemRequest(input, request, rules).catch((error: unknown) => {
      throw belowDefinition(error);
    });
    return derivePhases(current, next, now);
  };
}

function belowDefinition(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.fields === undefined) return error;
  return invalidFields(error.fields.map((field) => ({ ...field, pointer: `/definition${field.pointer}` })));
}
