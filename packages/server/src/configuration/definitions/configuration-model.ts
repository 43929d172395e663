import type { Document } from '../property/entities.ts';
import type { Item, ItemOf, ItemType, PropertyConfiguration } from '../property/property-configuration.ts';
import type { CollectionDefinition, PropertyDefinition } from './collection-definition.ts';

type Definitions = { readonly [T in ItemType]: CollectionDefinition<T> };

/** A property and its lists, put together from the definitions of all nouns. */
export class ConfigurationModel {
  readonly property: PropertyDefinition;
  /** In the order of the API. */
  readonly collections: readonly CollectionDefinition[];
  /** In the order in which items must be saved: after those that they refer to. */
  readonly saved: readonly CollectionDefinition[];
  /** Of `saved`. */
  readonly types: readonly ItemType[];
  readonly #byType: Definitions;
  /** Fields of a property that are not part of its settings: its lists, and what the writer derives. */
  readonly #notSettings: ReadonlySet<string>;

  constructor(property: PropertyDefinition, collections: readonly CollectionDefinition[]) {
    this.property = property;
    this.collections = collections;
    this.#byType = Object.fromEntries(collections.map((each) => [each.type, each])) as unknown as Definitions;
    this.saved = this.#inOrderOfSaving();
    this.types = this.saved.map(({ type }) => type);
    this.#notSettings = new Set([...collections.map(({ field }) => field), 'version', 'holdoutPeriod']);
  }

  collection<T extends ItemType>(type: T): CollectionDefinition<T> {
    return this.#byType[type];
  }

  itemsOf<T extends ItemType>(property: PropertyConfiguration, type: T): readonly ItemOf<T>[] {
    return property[this.collection(type).field] as readonly unknown[] as readonly ItemOf<T>[];
  }

  findItem<T extends ItemType>(property: PropertyConfiguration, type: T, key: string): ItemOf<T> | undefined {
    return this.itemsOf(property, type).find((item) => this.keyOf(type, item) === key);
  }

  /** The property with other items in one of its lists. */
  withItems<T extends ItemType>(
    property: PropertyConfiguration,
    type: T,
    items: readonly ItemOf<T>[],
  ): PropertyConfiguration {
    return { ...property, [this.collection(type).field]: items };
  }

  /** The text by which requests and history refer to an item. */
  keyOf(type: ItemType, item: Item): string {
    return (item as unknown as Readonly<Record<string, string>>)[this.collection(type).keyField] as string;
  }

  documentOf<T extends ItemType>(type: T, item: ItemOf<T>): Document {
    const { secret, toDocument } = this.collection(type);
    const hidden = ['version', secret];
    const document = toDocument === undefined ? item : toDocument(item);
    return Object.fromEntries(Object.entries(document).filter(([name]) => !hidden.includes(name)));
  }

  /** The reverse of `documentOf`, for items of the past; secrets are not known anymore. */
  itemOf<T extends ItemType>(type: T, document: Document, version: number): ItemOf<T> {
    const { fromDocument } = this.collection(type);
    const fields = fromDocument === undefined ? document : fromDocument(document);
    return { ...fields, version } as unknown as ItemOf<T>;
  }

  /** The settings of a property. */
  propertyDocument(property: PropertyConfiguration): Document {
    return Object.fromEntries(Object.entries(property).filter(([name]) => !this.#notSettings.has(name)));
  }

  #inOrderOfSaving(): CollectionDefinition[] {
    const ordered = new Set<CollectionDefinition>();
    const add = (definition: CollectionDefinition) => {
      for (const type of definition.savedAfter ?? []) add(this.collection(type));
      ordered.add(definition);
    };
    for (const definition of this.collections) add(definition);
    return [...ordered];
  }
}
