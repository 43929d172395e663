import type { DuckDBConnection } from '@duckdb/node-api';
import type { AcceptedRequest, JournalEntry } from '../../store/accepted-request.ts';
import { rowsOf, textList } from '../connection/sql.ts';
import type { TermDictionary } from './lookup/term-dictionary.ts';

/** Leaves out conversions and feedback that are stored already: the same request was sent to two nodes. */
export async function withoutStored(
  connection: DuckDBConnection,
  terms: TermDictionary,
  entries: readonly JournalEntry[],
): Promise<JournalEntry[]> {
  const seen = await storedIds(connection, terms, entries);
  return entries.filter(({ request }) => {
    const id = idOf(request);
    if (id === undefined) return true;
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

function idOf(request: AcceptedRequest): string | undefined {
  if (request.kind === 'feedback') return feedbackKey(request.propertyId, request.id);
  return request.kind === 'conversion' ? request.eventId : undefined;
}

const feedbackKey = (propertyId: string, id: string) => JSON.stringify([propertyId, id]);

async function storedIds(
  connection: DuckDBConnection,
  terms: TermDictionary,
  entries: readonly JournalEntry[],
): Promise<Set<string>> {
  const eventIds: string[] = [];
  const feedbackIds: string[] = [];
  for (const { request } of entries) {
    if (request.kind === 'feedback') feedbackIds.push(request.id);
    if (request.kind === 'conversion' && request.eventId !== undefined) eventIds.push(request.eventId);
  }
  const stored = new Set<string>();
  if (eventIds.length > 0) {
    const rows = await rowsOf<[bigint]>(
      connection,
      `SELECT event_id FROM conversions
       WHERE event_id IN (SELECT unnest(CAST(string_split($1, ',') AS HUGEINT[])))`,
      [eventIds.map(eventKeyOf).join(',')],
    );
    for (const [key] of rows) stored.add(eventIdOf(key));
  }
  if (feedbackIds.length > 0) {
    const rows = await rowsOf<[number, string]>(
      connection,
      `SELECT property, feedback_id FROM feedback WHERE feedback_id IN ${textList('$1')}`,
      [JSON.stringify(feedbackIds)],
    );
    for (const [property, id] of rows) stored.add(feedbackKey(terms.textOf(property) ?? '', id));
  }
  return stored;
}

/** An event id as it is stored. */
export function eventKeyOf(eventId: string): bigint {
  return BigInt.asIntN(128, BigInt(`0x${eventId}`));
}

export function eventIdOf(key: bigint): string {
  return BigInt.asUintN(128, key).toString(16).padStart(32, '0');
}
