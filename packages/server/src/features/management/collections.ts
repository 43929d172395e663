import {
  ManagedEnvironment,
  ManagedFeedbackType,
  ManagedFlag,
  ManagedGoal,
  ManagedSegment,
  ManagedSplitTest,
  ManagedWebhook,
} from '@switchyard/core/api/management';
import { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import {
  ProvisionedEnvironment,
  ProvisionedFeedbackType,
  ProvisionedFlag,
  ProvisionedGoal,
  type ProvisionedProperty,
} from '@switchyard/core/api/provisioning';
import type { Role } from '@switchyard/core/api/roles';
import { Segment } from '@switchyard/core/api/targeting';
import { ProvisionedWebhook } from '@switchyard/core/api/webhooks';
import { isObject } from '@switchyard/core/merge/json-value';
import { type Document, documentOf, type Item, type ItemType } from '../../storage/changes/entities.ts';

/** A list of a property that is managed under `P/{path}/{key}`. */
export interface Collection {
  type: ItemType;
  path: string;
  /** For summaries and messages. */
  noun: string;
  /** Name of the list in a provision file. */
  field: keyof ProvisionedProperty;
  keyField: 'id' | 'key';
  /** Schema of the body, as in a provision file. */
  body: object;
  response: object;
  /** Role needed to create and change items; deleting always needs an admin. */
  access: Role;
  /** Fields of responses that cannot be set; `*` stands for any name. */
  readOnly: readonly string[];
}

const collection = (
  type: ItemType,
  path: string,
  field: Collection['field'],
  schemas: { body: object; response: object },
  more: Partial<Collection> = {},
): Collection => ({
  type,
  path,
  noun: type.replace('-', ' '),
  field,
  keyField: 'id',
  access: 'editor',
  ...schemas,
  ...more,
  readOnly: ['version', ...(more.readOnly ?? [])],
});

export const MANAGED_COLLECTIONS: readonly Collection[] = [
  collection(
    'environment',
    'environments',
    'environments',
    { body: ProvisionedEnvironment, response: ManagedEnvironment },
    { access: 'admin' },
  ),
  collection(
    'split-test',
    'split-tests',
    'splitTests',
    { body: ProvisionedSplitTest, response: ManagedSplitTest },
    { keyField: 'key', readOnly: ['id', 'createdAt', 'phases', 'exclusion/to'] },
  ),
  collection(
    'flag',
    'flags',
    'flags',
    { body: ProvisionedFlag, response: ManagedFlag },
    { keyField: 'key', readOnly: ['id', 'createdAt', 'environments/*/id'] },
  ),
  collection('segment', 'segments', 'segments', { body: Segment, response: ManagedSegment }),
  collection('goal', 'goals', 'goals', { body: ProvisionedGoal, response: ManagedGoal }),
  collection('feedback-type', 'feedback-types', 'feedbackTypes', {
    body: ProvisionedFeedbackType,
    response: ManagedFeedbackType,
  }),
  collection(
    'webhook',
    'webhooks',
    'webhooks',
    { body: ProvisionedWebhook, response: ManagedWebhook },
    { access: 'admin', readOnly: ['createdAt', 'secret'] },
  ),
];

export function collectionAt(path: string): Collection | undefined {
  return MANAGED_COLLECTIONS.find((each) => each.path === path);
}

export function collectionOf(type: ItemType): Collection | undefined {
  return MANAGED_COLLECTIONS.find((each) => each.type === type);
}

/** The item as a response. */
export function responseOf(type: ItemType, item: Item): object {
  return { ...documentOf(type, item), version: Reflect.get(item, 'version') };
}

/** The fields that a caller can set. A field that is null has its default, as one that is missing. */
export function editable({ readOnly }: Pick<Collection, 'readOnly'>, document: unknown): Document {
  const withoutReadOnly = readOnly.reduce((value, path) => without(value, path.split('/')), document);
  if (!isObject(withoutReadOnly)) return {};
  return Object.fromEntries(Object.entries(withoutReadOnly).filter(([, value]) => value !== null));
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([member, content]): [string, unknown][] => {
      if (name !== '*' && name !== member) return [[member, content]];
      return rest.length === 0 ? [] : [[member, without(content, rest)]];
    }),
  );
}
