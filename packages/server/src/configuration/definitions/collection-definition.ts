import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import type { Role } from '@switchyard/core/api/roles';
import type { Database } from '../database/database.ts';
import type { DatabaseTables } from '../database/tables/database-tables.ts';
import type { Document, Reference } from '../property/entities.ts';
import type {
  FieldOf,
  ItemOf,
  ItemType,
  PropertyConfiguration,
  StoredProperty,
} from '../property/property-configuration.ts';
import type { Words } from '../words/change-words.ts';
import type { GeneratedKey, PropertyCandidate, RuleContext, RuleSettings } from './rule-context.ts';

/** All that the configuration knows about one noun; owned by its feature. */
export interface CollectionDefinition<T extends ItemType = ItemType> {
  type: T;
  field: FieldOf<T>;
  /** What requests, files, the history and other items refer to an item by. */
  keyField: 'id' | 'key' | 'accountId';
  /** Types whose items are saved first, because those of this one refer to them. */
  savedAfter?: readonly ItemType[];
  /** All tables that have parts of its items. */
  tables: TableKeys;
  rows: ItemRows<ItemOf<T>>;
  /** A field that is not part of documents, so neither of responses nor of the history. */
  secret?: string;
  /** The document of an item, if it is not the item itself. */
  toDocument?(item: ItemOf<T>): Document;
  /** The reverse of `toDocument`. */
  fromDocument?(document: Document): object;
  /** Puts items of the past into the order that rows have. */
  arrange?(items: readonly ItemOf<T>[], lists: PropertyLists): void;
  /** The other items that an item refers to, which cannot be deleted meanwhile. */
  references?(item: ItemOf<T>): Reference[];
  /** The items of a candidate, complete; reports what is wrong with them. */
  resolve?(
    entries: readonly EntryOf<T>[],
    stored: readonly ItemOf<T>[],
    context: ItemRuleContext,
  ): ItemOf<T>[];
  words: ItemWords;
  /** How it is written in provision files; undefined: not at all. */
  file?: FileFormat<T>;
  /** Its endpoints below `P/{path}`; undefined: it has others, or none. */
  managed?: ManagedCollection<T>;
  /** Restores an item that is not managed, from an item of the past and the present one, if there is one. */
  restore?(earlier: ItemOf<T>, present: ItemOf<T> | undefined): ItemOf<T>;
}

/** By table: the columns that identify a row. */
export type TableKeys = {
  readonly [Table in keyof DatabaseTables]?: readonly (keyof DatabaseTables[Table] & string)[];
};

/** The rows of the items of one type. Only the configuration writer saves with them. */
export interface ItemRows<Item> {
  list(database: Database, propertyId: string): Promise<Item[]>;
  insert(database: Database, propertyId: string, item: Item, at: number): Promise<void>;
  update(database: Database, propertyId: string, item: Item, at: number): Promise<void>;
  remove(database: Database, propertyId: string, item: Item): Promise<void>;
}

type PropertyLists = Pick<PropertyConfiguration, FieldOf<ItemType>>;

type EntryIn<Field> = Field extends keyof ProvisionedProperty
  ? NonNullable<ProvisionedProperty[Field]> extends readonly (infer Entry)[]
    ? Entry
    : never
  : never;

/** An item in a provision file. */
export type EntryOf<T extends ItemType> = EntryIn<FieldOf<T>>;

/** What the rules of one noun know of the others: those that are saved before it. */
export interface ItemRuleContext extends RuleContext {
  settings: RuleSettings;
  candidate: PropertyCandidate;
  stored: PropertyConfiguration | undefined;
  /** The items of the candidate, complete. */
  resolved<T extends ItemType>(type: T): readonly ItemOf<T>[];
  /** The items that the property will have. */
  items<T extends ItemType>(type: T): readonly ItemOf<T>[];
  keyGenerated(key: GeneratedKey): void;
}

interface ItemWords {
  /** Lines about changed fields, by their name. */
  fields: Words;
  /** Default: `created` and `deleted`. */
  created?: string;
  deleted?: string;
  /** Default: its type and key. */
  subject?(key: string, document: Document): string;
}

interface FileFormat<T extends ItemType> {
  /** The entry of an item, from its document, with fields that have no value; default: the document. */
  entryOf?(document: Document, item: ItemOf<T>): Document;
  /** What an export has of an entry; undefined: nothing. */
  exported?(entry: Document, item: ItemOf<T>): Document | undefined;
  /** Exports have no empty list of it. */
  omittedIfEmpty?: boolean;
  /** The items that the entries of a file are about; default: those with their keys. */
  mentioned?(entries: readonly EntryOf<T>[], items: readonly ItemOf<T>[]): ItemOf<T>[];
  /** What a plan calls an item; default: its key. */
  nameOf?(item: ItemOf<T>): string;
  /** The entry of a new item without values that were generated, because the file does not give them. */
  withoutGenerated?(entry: Document, given: EntryOf<T> | undefined, isKeyGenerated: boolean): Document;
}

/** A plan and its execution generate different values, so they are not shown. */
export const GENERATED = '(generated)';

export interface ManagedCollection<T extends ItemType> {
  path: string;
  /** Schema of the body, as in a provision file. */
  body: object;
  response: object;
  /** Role needed to create and change items; deleting always needs an admin. */
  access: Role;
  /** Fields of responses that cannot be set, besides the version; `*` stands for any name. */
  readOnly?: readonly string[];
  /** Throws if the item cannot be deleted although nothing refers to it. */
  refuseDeletion?(item: ItemOf<T>, property: PropertyConfiguration): void;
}

/** The property itself. */
export interface PropertyDefinition {
  rows: {
    /** All properties, or only the one with this id. */
    list(database: Database, id?: string): Promise<StoredProperty[]>;
    insert(database: Database, property: PropertyConfiguration, at: number): Promise<void>;
    update(database: Database, property: PropertyConfiguration, at: number): Promise<void>;
    /** Removes its items too. */
    remove(database: Database, propertyId: string): Promise<void>;
  };
  /** The settings of a candidate, complete. */
  resolve(
    candidate: PropertyCandidate,
    stored: PropertyConfiguration | undefined,
    context: Pick<RuleContext, 'now' | 'report'>,
  ): StoredProperty;
  words: Words;
}
