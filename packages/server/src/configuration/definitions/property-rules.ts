import type { Item, ItemOf, ItemType, PropertyConfiguration } from '../property/property-configuration.ts';
import type { EntryOf, ItemRuleContext } from './collection-definition.ts';
import type { ConfigurationModel } from './configuration-model.ts';
import type { GeneratedKey, PropertyCandidate, ResolveProperty, RuleSettings } from './rule-context.ts';

/** The rules of all nouns, for code that works on the whole configuration of a property. */
export const propertyRules =
  (model: ConfigurationModel, settings: RuleSettings): ResolveProperty =>
  (candidate, stored, context) => {
    const generatedKeys: GeneratedKey[] = [];
    const resolved = new Map<ItemType, readonly Item[]>();
    const lists = new Map<ItemType, readonly Item[]>();
    const itemContext: ItemRuleContext = {
      ...context,
      settings,
      candidate,
      stored,
      resolved: <T extends ItemType>(type: T) => resolved.get(type) as unknown as readonly ItemOf<T>[],
      items: <T extends ItemType>(type: T) => lists.get(type) as unknown as readonly ItemOf<T>[],
      keyGenerated: (key) => generatedKeys.push(key),
    };
    for (const definition of model.saved) {
      const { type } = definition;
      const known = stored === undefined ? [] : model.itemsOf(stored, type);
      const items = definition.resolve?.(entriesOf(candidate, definition.field), known, itemContext) ?? [];
      resolved.set(type, items);
      lists.set(
        type,
        combine(known, items, (item) => model.keyOf(type, item)),
      );
    }
    const property = {
      ...model.property.resolve(candidate, stored, context),
      ...Object.fromEntries(model.saved.map(({ type, field }) => [field, lists.get(type)])),
    } as PropertyConfiguration;
    return { property, generatedKeys };
  };

const entriesOf = (candidate: PropertyCandidate, field: string) =>
  ((candidate as Readonly<Record<string, unknown>>)[field] ?? []) as readonly EntryOf<ItemType>[];

/** Stored items in their order, replaced by those of the candidate, and then the new ones. */
function combine(stored: readonly Item[], resolved: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const changed = new Map(resolved.map((item) => [keyOf(item), item]));
  const kept = stored.map((item) => {
    const replacement = changed.get(keyOf(item));
    changed.delete(keyOf(item));
    return replacement ?? item;
  });
  return [...kept, ...changed.values()];
}
