import type { FlagValue } from '@switchyard/core/api/targeting';
import type { Targeting } from '@switchyard/core/evaluation/used-attributes';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { type FlagEra, FlagTimeline } from '../../configuration/history/flag-timeline.ts';
import {
  PRODUCTION,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { FeedbackEntry } from '../../events/store/event-store.ts';

/** The value of a flag for each session, in order, with the definitions of its era; computed on another thread. */
export type FlagValues = (input: {
  propertyId: string;
  flagKey: string;
  eras: Targeting[];
  sessions: { sessionId: string; era: number }[];
}) => Promise<(FlagValue | null)[]>;

/** The ids of those entries that match. */
export type EntryFilter = (entries: readonly FeedbackEntry[]) => Promise<ReadonlySet<string>>;

interface FlagQuery {
  flagKey?: string;
  flagValue?: string;
  environment?: string;
}

/**
 * Entries of sessions for which a flag had a value when they were submitted. Flag values are not recorded with
 * sessions, so they are computed: from the definitions of that moment and from what is known of the session.
 */
export function flagFilter(
  { database, model, flagValues }: { database: Database; model: ConfigurationModel; flagValues: FlagValues },
  property: PropertyConfiguration,
  { flagKey, flagValue, environment = PRODUCTION.id }: FlagQuery,
): EntryFilter | undefined {
  if (flagKey === undefined) return undefined;
  const timeline = new FlagTimeline(database, model, property, flagKey, environment);
  return async (entries) => {
    const { eras, sessions, ids } = await withEras(timeline, entries);
    if (sessions.length === 0) return new Set();
    const values = await flagValues({ propertyId: property.id, flagKey, eras, sessions });
    return new Set(ids.filter((_, index) => values[index] !== null && String(values[index]) === flagValue));
  };
}

/** The entries whose definitions are known. */
async function withEras(timeline: FlagTimeline, entries: readonly FeedbackEntry[]) {
  const eras: Targeting[] = [];
  const sessions: { sessionId: string; era: number }[] = [];
  const ids: string[] = [];
  let era: FlagEra | undefined;
  // Newest first, so that an era is looked for once.
  for (const { id, sessionId, createdAt } of entries.toSorted((a, b) => b.createdAt - a.createdAt)) {
    if (sessionId === null) continue;
    if (era === undefined || createdAt < era.from) {
      era = await timeline.at(createdAt);
      if (era.targeting !== undefined) eras.push(era.targeting);
    }
    if (era.targeting === undefined) continue;
    sessions.push({ sessionId, era: eras.length - 1 });
    ids.push(id);
  }
  return { eras, sessions, ids };
}
