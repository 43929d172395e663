import type { ProvisionedOption } from '@switchyard/core/api/provisioning';
import { fileOptions, optionValue, stylesOf } from '../feedback-options.ts';
import type {
  ApiKey,
  Environment,
  EnvironmentFlagConfiguration,
  FeedbackType,
  Flag,
  Goal,
  Member,
  PropertyConfiguration,
  SplitTest,
  StoredSegment,
  Webhook,
} from '../property-configuration.ts';

/** The lists of a property by the type of their items, in the order in which they must be saved. */
export const COLLECTIONS = {
  environment: 'environments',
  goal: 'goals',
  'feedback-type': 'feedbackTypes',
  segment: 'segments',
  'split-test': 'splitTests',
  flag: 'flags',
  key: 'apiKeys',
  webhook: 'webhooks',
  member: 'members',
} as const;

export type ItemType = keyof typeof COLLECTIONS;
export type EntityType = ItemType | 'property';

export interface ItemOf {
  environment: Environment;
  goal: Goal;
  'feedback-type': FeedbackType;
  segment: StoredSegment;
  'split-test': SplitTest;
  flag: Flag;
  key: ApiKey;
  webhook: Webhook;
  member: Member;
}
export type Item = ItemOf[ItemType];

export const ITEM_TYPES = Object.keys(COLLECTIONS) as ItemType[];

/** The state of an item as JSON, without secrets and without its version. */
export type Document = Readonly<Record<string, unknown>>;

const KEY_FIELDS: Partial<Record<ItemType, string>> = {
  'split-test': 'key',
  flag: 'key',
  member: 'accountId',
};

/** The text by which requests and history refer to an item. */
export function keyOf(type: ItemType, item: Item): string {
  return Reflect.get(item, KEY_FIELDS[type] ?? 'id');
}

export function itemsOf<T extends ItemType>(property: PropertyConfiguration, type: T): readonly ItemOf[T][] {
  return property[COLLECTIONS[type]] as readonly unknown[] as readonly ItemOf[T][];
}

export function findItem<T extends ItemType>(
  property: PropertyConfiguration,
  type: T,
  key: string,
): ItemOf[T] | undefined {
  return itemsOf(property, type).find((item) => keyOf(type, item) === key);
}

/** The settings of a property, without its lists and without what the writer derives. */
export function propertyDocument(property: PropertyConfiguration): Document {
  const others: readonly string[] = [...Object.values(COLLECTIONS), 'version', 'holdoutPeriod'];
  return Object.fromEntries(Object.entries(property).filter(([name]) => !others.includes(name)));
}

export function documentOf(type: ItemType, item: Item): Document {
  const { version: _version, ...document } = item as { version?: number };
  if (type === 'flag') return flagDocument(document as Flag);
  if (type === 'feedback-type') return feedbackTypeDocument(document as FeedbackType);
  if (type === 'key') return omit(document, 'hash');
  if (type === 'webhook') return omit(document, 'secret');
  return document as Document;
}

/** Configurations by environment, as in a provision file. */
function flagDocument({ configurations, ...flag }: Flag): Document {
  const environments = configurations.map(({ environmentId, ...configuration }) => {
    return [environmentId, configuration] as const;
  });
  return { ...flag, environments: Object.fromEntries(environments) };
}

/** Options with their styles, as in a provision file. */
function feedbackTypeDocument(type: FeedbackType): Document {
  return { ...omit(type, 'optionStyles'), options: fileOptions(type) };
}

function omit(document: object, name: string): Document {
  return Object.fromEntries(Object.entries(document).filter(([member]) => member !== name));
}

/** The reverse of `documentOf`, for items of the past; secrets are not known anymore. */
export function itemOf(type: ItemType, document: Document, version: number): Item {
  if (type === 'flag') return flagOf(document, version);
  if (type === 'feedback-type') {
    const options = document.options as ProvisionedOption[];
    const styles = { options: options.map(optionValue), optionStyles: stylesOf(options) };
    return { ...document, ...styles, version } as unknown as FeedbackType;
  }
  return { ...document, version } as unknown as Item;
}

function flagOf({ environments, ...flag }: Document, version: number): Flag {
  const configurations = Object.entries(environments as object).map(([environmentId, configuration]) => {
    return { environmentId, ...configuration } as EnvironmentFlagConfiguration;
  });
  return { ...flag, version, configurations } as unknown as Flag;
}
