import type { ChangeOrigin, FoundChange } from '@switchyard/core/stats/report/decision-rule';
import type { Database } from '../../../configuration/database/database.ts';
import type { HistoryEntry } from '../../../configuration/history/history-entry.ts';
import { listHistory, toEntry } from '../../../configuration/history/history-store.ts';
import type { Reference } from '../../../configuration/property/entities.ts';

/** Of an item; what was changed before these entries has no time. */
const MAX_ENTRIES = 200;

interface Since {
  propertyId: string;
  splitTestKey: string;
  /** When the rule was fixed. */
  from: number;
  /** Guardrails with a margin of their own: that of the others is the smallest effect. */
  ownMargins: ReadonlySet<string>;
}

/** Where a part of the rule is configured: an item, and the fields in it. */
interface Place extends Reference {
  pointers: readonly string[];
}

/** Who made these changes, and when: the last entries of the history that are about the same fields. */
export async function changeOrigins(
  database: Database,
  since: Since,
  changes: readonly FoundChange[],
): Promise<(change: FoundChange) => ChangeOrigin> {
  const entries = new Map<string, readonly HistoryEntry[]>();
  for (const { type, key } of changes.flatMap((change) => placesOf(change, since))) {
    const name = nameOf({ type, key });
    if (entries.has(name)) continue;
    const filter = { entity: type, key, from: since.from, limit: MAX_ENTRIES };
    const { rows } = await listHistory(database, since.propertyId, filter);
    entries.set(name, rows.map(toEntry));
  }
  return (change) => {
    const last = placesOf(change, since)
      .flatMap((place) =>
        entries
          .get(nameOf(place))!
          .filter((entry) => entry.changes.some(({ pointer }) => isIn(pointer, place))),
      )
      .toSorted((a, b) => b.sequence - a.sequence)[0];
    return last === undefined ? { at: null } : { at: last.at, by: last.actor.name };
  };
}

const nameOf = ({ type, key }: Reference) => `${type}/${key}`;

const isIn = (pointer: string, { pointers }: Place) =>
  pointers.some((it) => pointer === it || pointer.startsWith(`${it}/`) || it.startsWith(`${pointer}/`));

function placesOf(
  { what, goalId, before, after }: FoundChange,
  { propertyId, splitTestKey, ownMargins }: Since,
): Place[] {
  const inTest = (...pointers: string[]): Place => ({ type: 'split-test', key: splitTestKey, pointers });
  const inProperty = (name: string): Place => ({
    type: 'property',
    key: propertyId,
    pointers: [`/statistics/${name}`],
  });
  // The direction belongs to the goal.
  const inGoal: Place[] =
    goalId !== undefined && before !== null && after !== null
      ? [{ type: 'goal', key: goalId, pointers: ['/lowerIsBetter'] }]
      : [];
  switch (what) {
    case 'primary':
    case 'secondary':
      return [inTest('/goals'), ...inGoal];
    case 'guardrails':
      return [inTest('/guardrails', ...(ownMargins.has(goalId ?? '') ? [] : ['/smallestEffect'])), ...inGoal];
    case 'variations':
    case 'smallestEffect':
    case 'plannedVisitors':
    case 'unit':
    case 'attributionDays':
    case 'onHarm':
      return [inTest(`/${what}`)];
    case 'method':
      return [inTest('/plannedVisitors'), inProperty('engine')];
    default:
      return [inProperty(what)];
  }
}
