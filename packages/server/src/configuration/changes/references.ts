import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { Reference } from '../property/entities.ts';
import type { ItemType, PropertyConfiguration } from '../property/property-configuration.ts';

/** The items that would break if this one were deleted, those first that are saved last. */
export function referencesTo(
  model: ConfigurationModel,
  property: PropertyConfiguration,
  { type, key }: { type: ItemType; key: string },
): Reference[] {
  return model.saved.toReversed().flatMap((definition) => {
    const refers = model
      .itemsOf(property, definition.type)
      .filter((item) => definition.references?.(item).some((each) => each.type === type && each.key === key));
    return refers.map((item) => ({ type: definition.type, key: model.keyOf(definition.type, item) }));
  });
}
