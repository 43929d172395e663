import type { LibraryQuery, LibraryTest } from '@switchyard/core/api/learning/library';
import { DAY_MS } from '@switchyard/core/time';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import { decodeListCursor, encodeListCursor } from '../../../http/contract/paging.ts';
import { type PhaseScope, phaseScope } from '../report-scope.ts';
import { type FinishedTest, finishedTests, latestFirst } from './finished-tests.ts';

/** Older tests say less about the next one, and each takes a count. */
const MAX_RECORD = 50;
const DEFAULT_LIMIT = 20;

/** What is known of a test without counting. */
export type LibraryEntry = Omit<LibraryTest, 'figures' | 'words' | 'days'> & {
  readonly days: number;
  readonly isPartial: boolean;
  /** From then on, its counts hardly change. */
  readonly settledAt: number;
  /** The latest phase, with the primary goal only. */
  readonly scope: PhaseScope;
};

/** A page of finished tests and those of the record, small enough to send to another thread. */
export interface LibraryScope {
  /** Those of the page and of the record. */
  readonly entries: readonly LibraryEntry[];
  readonly page: readonly string[];
  readonly record: readonly string[];
  readonly finished: number;
  readonly matching: number;
  readonly nextCursor: string | null;
}

export function libraryScope(
  property: PropertyConfiguration,
  query: Omit<LibraryQuery, 'propertyId'>,
  now: number,
): LibraryScope {
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const all = finishedTests(property);
  const matching = all.filter(matches(query));
  const after = decodeListCursor(cursor);
  const position = after && { endedAt: after.at, test: { key: after.id } };
  const rest = position ? matching.filter((it) => latestFirst(position, it) < 0) : matching;
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  const record = all.slice(0, MAX_RECORD);
  const entries = new Map([...page, ...record].map((it) => [it.test.key, it]));
  return {
    entries: [...entries.values()].map((it) => entryOf(property, it, now)),
    page: page.map(({ test }) => test.key),
    record: record.map(({ test }) => test.key),
    finished: all.length,
    matching: matching.length,
    nextCursor: encodeListCursor(last && { at: last.endedAt, id: last.test.key }),
  };
}

function matches({ q = '', outcome, tag }: Omit<LibraryQuery, 'propertyId'>) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return (it: FinishedTest) =>
    (outcome === undefined || it.notes.outcome === outcome) &&
    (tag === undefined || it.notes.tags.includes(tag)) &&
    words.every((word) => it.text.includes(word));
}

function entryOf(
  property: PropertyConfiguration,
  { test, notes, startedAt, endedAt }: FinishedTest,
  now: number,
): LibraryEntry {
  const { key, measuredRule, winner, phases } = test;
  const { audience, reach, variations } = phases.at(-1)!.definition;
  const { name, hypothesis, description, tags, owner, outcome, decision } = notes;
  const only = { ...test, goals: test.goals.slice(0, 1), guardrails: [] };
  return {
    splitTestKey: key,
    ...(measuredRule && { measuredRule: { ...measuredRule } }),
    name,
    hypothesis,
    description,
    tags,
    owner,
    status: test.status === 'archived' ? 'archived' : 'stopped',
    outcome,
    decision,
    winner,
    control: variations[0]?.key ?? null,
    startedAt,
    endedAt,
    days: (endedAt - startedAt) / DAY_MS,
    phases: phases.length,
    // Rules before it, or prerequisites, keep some from a rule as its own conditions do.
    isPartial: audience !== undefined || reach !== undefined,
    settledAt: endedAt + test.attributionDays * DAY_MS,
    scope: phaseScope(property, only, undefined, now),
  };
}
