import type { HistoryEntrySchema } from '@switchyard/core/api/management';
import type { Static } from 'typebox';
import {
  COLLECTIONS,
  type Configuration,
  type ItemType,
  type ListedItem,
} from '../configuration/configuration-types.ts';

export type HistoryEntry = Static<typeof HistoryEntrySchema>;

/** Types of items that the history knows, as people call them. */
export const ENTITY_NOUNS: Record<string, string> = {
  property: 'settings',
  environment: 'environment',
  'split-test': 'split test',
  flag: 'flag',
  segment: 'segment',
  goal: 'goal',
  metric: 'metric',
  'feedback-type': 'feedback type',
  key: 'API key',
  webhook: 'webhook',
  member: 'member',
};

export const VIA: Record<HistoryEntry['via'], string> = {
  dashboard: 'in the dashboard',
  token: 'with an access token',
  cli: 'on the command line',
  file: 'with a provision file',
  schedule: 'by schedule',
  monitoring: 'because of the results',
};

const VERBS: Record<HistoryEntry['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
};

export function verbOf({ action, entity }: HistoryEntry): string {
  if (entity.type === 'member' && action === 'create') return 'added';
  if (entity.type === 'member' && action === 'delete') return 'removed';
  return VERBS[action];
}

/** The name of an item whose key means nothing to people. */
export function nameOf({ entity, changes }: HistoryEntry, memberNames: ReadonlyMap<string, string>): string {
  if (entity.type === 'member') return memberNames.get(entity.key) ?? entity.key;
  if (entity.type !== 'key') return entity.key;
  const name = changes.find(({ pointer }) => pointer === '/name');
  return String(name?.after ?? name?.before ?? entity.key);
}

const PAGES: Record<string, (key: string) => [path: string, search?: Record<string, string>]> = {
  property: () => ['settings'],
  environment: () => ['settings', { tab: 'environments' }],
  'split-test': (key) => [`split-tests/${key}`],
  flag: (key) => [`flags/${key}`],
  segment: (key) => [`segments/${key}`],
  goal: (key) => [`goals/${key}`],
  metric: (key) => [`metrics/${key}`],
  'feedback-type': (key) => [`feedback/types/${key}`],
  key: () => ['keys'],
  webhook: (key) => ['settings', { tab: 'webhooks', webhook: key }],
  member: () => ['settings', { tab: 'members' }],
};

/** Where an item is edited; undefined if it does not exist any more. */
export function pageOf(
  configuration: Configuration,
  { type, key }: HistoryEntry['entity'],
): [path: string, search?: Record<string, string>] | undefined {
  if (type in COLLECTIONS && currentVersion(configuration, { type, key }) === undefined) return undefined;
  return PAGES[type]?.(encodeURIComponent(key));
}

/** The version that an item has now; undefined if it does not exist, or has no list in the configuration. */
export function currentVersion(
  configuration: Configuration,
  { type, key }: HistoryEntry['entity'],
): number | undefined {
  if (!(type in COLLECTIONS)) return undefined;
  const { field, key: keyField } = COLLECTIONS[type as ItemType];
  const items: readonly ListedItem[] = configuration[field];
  return items.find((item) => item[keyField] === key)?.version;
}

/** Times are by the clock of the server. Two changes within a second do not mean that it was set back. */
export const clockNote = ({ at, orderedAt }: HistoryEntry): string =>
  orderedAt - at < 1000 ? '' : ' by the clock of the server, which was set back before this change';
