import type { ConfigurationChanged } from '@switchyard/core/api/webhook-payloads';
import type { Actor, Via } from '../../configuration/property/actor.ts';
import type { WebhookEvent } from './enqueue.ts';

const MAX_CHANGES = 100;
const MAX_POINTERS = 50;

/** A saved change of a property, with its history entries. */
export interface SavedChange {
  propertyId: string;
  /** Of the property, after the change. */
  version: number;
  at: number;
  actor: Actor;
  via: Via;
  comment: string | null;
  /** At least one. */
  entries: readonly SavedEntry[];
}

interface SavedEntry {
  /** Of the history entry. */
  id: string;
  entity: { type: string; key: string };
  action: ConfigurationChanged['changes'][number]['action'];
  version: number;
  changes: readonly { pointer: string }[];
}

/** The event of a change: what was changed, without values, so that its size is limited. */
export function configurationEvent(change: SavedChange): WebhookEvent<'configuration.changed'> {
  const { propertyId, version, at, actor, via, comment, entries } = change;
  const changes = entries.slice(0, MAX_CHANGES).map((entry) => ({
    historyId: entry.id,
    entity: { type: entry.entity.type, key: entry.entity.key },
    action: entry.action,
    version: entry.version,
    pointers: entry.changes.slice(0, MAX_POINTERS).map(({ pointer }) => pointer),
  }));
  const { type, id, name } = actor;
  return {
    type: 'configuration.changed',
    data: {
      propertyId,
      version,
      actor: { type, id, name },
      via,
      comment,
      changes,
      omittedChanges: entries.length - changes.length,
    },
    dedupeKey: `change:${entries[0]?.id ?? version}`,
    at,
  };
}
