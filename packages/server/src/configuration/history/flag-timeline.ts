import type { FlagDefinition, Segment } from '@switchyard/core/api/targeting';
import { prerequisitesOf } from '@switchyard/core/evaluation/flags';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import type { Targeting } from '@switchyard/core/evaluation/used-attributes';
import { applyDifferences, type Difference } from '@switchyard/core/merge/differences';
import type { Database } from '../database/database.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { Document } from '../property/entities.ts';
import { definitionIn } from '../property/flag-definition.ts';
import type { Flag, PropertyConfiguration } from '../property/property-configuration.ts';
import { clockCorrections } from './sequence-at.ts';

/** Changes that are undone, of all items together, and their length; what was before them is not known. */
const LIMITS: Limits = { changes: 2000, characters: 4 * 1024 * 1024 };
/** Flags and segments that one flag can depend on at a time. */
const MAX_ITEMS = 200;

type TimedType = 'flag' | 'segment';

interface Limits {
  changes: number;
  characters: number;
}

/** A state of an item that began at `from`; it lasted until the one before it in the list. */
interface PastState {
  from: number;
  document: Document | undefined;
  /** Of the document; the same object in all eras, so that it is copied once to another thread. */
  item?: Flag | Segment;
}

/** What decided about a flag from a moment on. */
export interface FlagEra {
  from: number;
  /** Undefined if it is not known, or if the flag did not exist. */
  targeting: Targeting | undefined;
}

/**
 * The definitions that decided about one flag in an environment, back in time: the latest changes of each item are
 * undone, newest first.
 */
export class FlagTimeline {
  readonly #database: Database;
  readonly #model: ConfigurationModel;
  readonly #property: PropertyConfiguration;
  readonly #flagKey: string;
  readonly #environment: string;
  /** What may still be read. */
  readonly #left: Limits;
  readonly #states = new Map<string, Promise<PastState[]>>();
  #begin: Promise<number> | undefined;
  #corrections: ReturnType<typeof clockCorrections> | undefined;

  constructor(
    database: Database,
    model: ConfigurationModel,
    property: PropertyConfiguration,
    flagKey: string,
    environment: string,
    limits = LIMITS,
  ) {
    this.#database = database;
    this.#model = model;
    this.#property = property;
    this.#flagKey = flagKey;
    this.#environment = environment;
    this.#left = { ...limits };
  }

  /** The era that a moment is in. */
  async at(moment: number): Promise<FlagEra> {
    const flags: FlagDefinition[] = [];
    const segments: Segment[] = [];
    this.#begin ??= this.#historyBegin();
    const begin = await this.#begin;
    if (moment < begin) return { from: Number.NEGATIVE_INFINITY, targeting: undefined };
    let from = begin;
    const wanted: [TimedType, string][] = [['flag', this.#flagKey]];
    const seen = new Set<string>();
    for (const [type, key] of wanted) {
      if (seen.has(`${type} ${key}`)) continue;
      seen.add(`${type} ${key}`);
      const state = seen.size > MAX_ITEMS ? undefined : await this.#stateAt(type, key, moment);
      if (state === undefined) return { from: moment, targeting: undefined };
      from = Math.max(from, state.from);
      if (state.document === undefined) continue;
      state.item ??= this.#model.itemOf(type, state.document, 1);
      const uses =
        type === 'flag'
          ? this.#addFlag(flags, state.item as Flag)
          : addSegment(segments, state.item as Segment);
      wanted.push(...uses);
    }
    return { from, targeting: flags[0]?.key === this.#flagKey ? { flags, segments } : undefined };
  }

  #addFlag(flags: FlagDefinition[], flag: Flag): [TimedType, string][] {
    const definition = definitionIn(flag, this.#environment);
    flags.push(definition);
    const conditions = definition.configuration?.rules.flatMap((rule) => rule.conditions ?? []) ?? [];
    return [
      ...prerequisitesOf(definition).map((key): [TimedType, string] => ['flag', key]),
      ...segmentsIn(conditions).map((id): [TimedType, string] => ['segment', id]),
    ];
  }

  async #stateAt(type: TimedType, key: string, moment: number): Promise<PastState | undefined> {
    const name = `${type} ${key}`;
    const states = this.#states.get(name) ?? this.#load(type, key);
    this.#states.set(name, states);
    return (await states).find(({ from }) => from <= moment);
  }

  /** Newest first. */
  async #load(type: TimedType, key: string): Promise<PastState[]> {
    const item = this.#model.findItem(this.#property, type, key);
    let document = item && this.#model.documentOf(type, item);
    const { rows, unread } = await this.#changes(type, key);
    const states: PastState[] = [];
    let from = Number.POSITIVE_INFINITY;
    for (const { action, changes, ...row } of rows) {
      from = await this.#inForceFrom(row, from);
      states.push({ from, document });
      document = action === 'create' ? undefined : undone(document, JSON.parse(changes));
    }
    from = unread === undefined ? Number.NEGATIVE_INFINITY : await this.#inForceFrom(unread, from);
    states.push({ from, document });
    return states;
  }

  /** The clock may have been set back: nothing begins after what was saved later. */
  async #inForceFrom({ at, sequence }: { at: number; sequence: number }, later: number): Promise<number> {
    this.#corrections ??= clockCorrections(this.#database, this.#property.id);
    let from = Math.min(at, later);
    for (const each of await this.#corrections) {
      if (each.sequence >= sequence && each.at < from) from = each.at;
    }
    return from;
  }

  /** As many as may still be read, newest first, and the one before them. */
  async #changes(type: TimedType, key: string) {
    const ofItem = this.#database
      .selectFrom('history')
      .where('property_id', '=', this.#property.id)
      .where('entity_type', '=', type)
      .where('entity_key', '=', key)
      .where('property_version', '<=', this.#property.version)
      .orderBy('sequence', 'desc');
    // First the lengths alone: many large entries would not fit in memory.
    const found = await ofItem
      .select(({ fn }) => ['at', 'sequence', fn<number>('length', ['changes']).as('length')])
      .limit(this.#left.changes + 1)
      .execute();
    const count = this.#take(found.map(({ length }) => length));
    const rows =
      count === 0 ? [] : await ofItem.select(['at', 'sequence', 'action', 'changes']).limit(count).execute();
    return { rows, unread: found[count] };
  }

  /** How many changes of these lengths may be read. After one that may not, none may. */
  #take(lengths: readonly number[]): number {
    const left = this.#left;
    let count = 0;
    for (const length of lengths) {
      left.characters -= length;
      if (left.characters < 0) left.changes = 0;
      if (left.changes === 0) break;
      left.changes--;
      count++;
    }
    return count;
  }

  async #historyBegin(): Promise<number> {
    const row = await this.#database
      .selectFrom('history')
      .select(({ fn }) => fn.min<number | null>('at').as('at'))
      .where('property_id', '=', this.#property.id)
      .executeTakeFirst();
    return this.#inForceFrom(
      { at: row?.at ?? Number.POSITIVE_INFINITY, sequence: 1 },
      Number.POSITIVE_INFINITY,
    );
  }
}

function addSegment(segments: Segment[], segment: Segment): [TimedType, string][] {
  segments.push(segment);
  return segmentsIn(segment.conditions).map((id): [TimedType, string] => ['segment', id]);
}

const undone = (document: Document | undefined, changes: readonly Difference[]): Document =>
  applyDifferences(
    document ?? {},
    changes.map(({ pointer, before }) => ({ pointer, after: before })),
  ) as Document;
