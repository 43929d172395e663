import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import type { TableKeys } from '../../configuration/definitions/collection-definition.ts';
import type { EventChecksum } from '../../events/store/checksum-text.ts';
import type { EventStore, Positions } from '../../events/store/event-store.ts';
import { configurationChecksums } from './copy-configuration.ts';
import { repeating } from './repeating.ts';

/** What is not the same on both sides. */
export interface Difference {
  /** For example `exposures of shop on 2026-01-31`, or `table flags`. */
  what: string;
  /** Number of events or rows. */
  from: number;
  to: number;
}

/**
 * Events of a session arrive up to 72 hours late; what was collected is deleted with the events, so it may be this much
 * younger than the oldest event that is kept.
 */
const EXPIRY_MARGIN_MS = 4 * DAY_MS;

interface Counted {
  what: string;
  count: number;
  checksum: string;
}

export interface EventComparison {
  from: EventStore;
  to: EventStore;
  /** What was copied. */
  upTo: Positions;
  /** By property: what happened on earlier days may have expired on one side only. */
  expiredBefore: ReadonlyMap<string, number>;
}

export async function compareEvents({
  from,
  to,
  upTo,
  expiredBefore,
}: EventComparison): Promise<Difference[]> {
  const isCompared = ({ propertyId, day }: EventChecksum) =>
    day >= (expiredBefore.get(propertyId) ?? -Infinity);
  const countedIn = async (store: EventStore) =>
    (await repeating(() => store.checksums(upTo))).filter(isCompared).map(
      ({ propertyId, kind, day, ...rest }): Counted => ({
        ...rest,
        what: `${NAMES[kind]} of ${propertyId} on ${new Date(day).toISOString().slice(0, 10)}`,
      }),
    );
  return differences(await countedIn(from), await countedIn(to));
}

const NAMES: Record<EventChecksum['kind'], string> = {
  exposures: 'exposures',
  conversion: 'goals',
  feedback: 'feedback',
  collect: 'collects',
  session_event: 'session events',
};

/** Only if one side may have deleted events since they were copied. */
export async function expiryOf(database: Database, now: number): Promise<Map<string, number>> {
  const rows = await database.selectFrom('properties').select(['id', 'retention_days']).execute();
  return new Map(
    rows.flatMap(({ id, retention_days: days }) =>
      days === null ? [] : [[id, now - days * DAY_MS + EXPIRY_MARGIN_MS] as const],
    ),
  );
}

export async function compareConfiguration(
  tables: TableKeys,
  from: Database,
  to: Database,
): Promise<Difference[]> {
  const countedIn = async (database: Database) =>
    (await configurationChecksums(tables, database)).map(({ table, ...rest }) => ({
      ...rest,
      what: `table ${table}`,
    }));
  return differences(await countedIn(from), await countedIn(to));
}

function differences(from: readonly Counted[], to: readonly Counted[]): Difference[] {
  const [left, right] = [from, to].map((list) => new Map(list.map((each) => [each.what, each])));
  return [...new Set([...left!.keys(), ...right!.keys()])].sort().flatMap((what) => {
    const [a, b] = [left!.get(what), right!.get(what)];
    const isSame = a?.count === b?.count && a?.checksum === b?.checksum;
    return isSame ? [] : [{ what, from: a?.count ?? 0, to: b?.count ?? 0 }];
  });
}
