import type { Difference } from '@switchyard/core/merge/differences';
import type { HistoryAction } from '../database/tables/history-tables.ts';
import type { Actor, Via } from '../property/actor.ts';
import type { EntityType } from '../property/entities.ts';

/** One changed item; a change of several items writes several entries with the same property version. */
export interface HistoryEntry {
  id: string;
  propertyId: string;
  /** Position in the chain of the property, from 1. */
  sequence: number;
  /** By the clock of the server, which can be set back. */
  at: number;
  /** Later for every later version. */
  orderedAt: number;
  actor: Actor;
  via: Via;
  entity: { type: EntityType; key: string };
  action: HistoryAction;
  comment: string | null;
  changes: Difference[];
  /** Version of the item after the change. */
  version: number;
  /** Version of the property after the change. */
  propertyVersion: number;
  hash: string;
  /** Whether text of it was redacted. */
  redacted: boolean;
}

/** What happened, before it has a place in the chain. */
export type NewEntry = Pick<HistoryEntry, 'entity' | 'action' | 'changes' | 'version'>;
