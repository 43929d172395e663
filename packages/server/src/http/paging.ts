import { invalidField } from '../errors.ts';
import type { Cursor } from '../storage/event-store.ts';

/** Asks for one row more than the page has, to know whether there is a next one. */
export function pageOf<T>(
  rows: T[],
  limit: number,
  position: (row: T) => Cursor,
): { rows: T[]; nextCursor: string | null } {
  if (rows.length <= limit) return { rows, nextCursor: null };
  const shown = rows.slice(0, limit);
  return { rows: shown, nextCursor: encodeCursor(position(shown.at(-1)!)) };
}

function encodeCursor({ at, id }: Cursor): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

export function decodeCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  try {
    const [at, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (Number.isSafeInteger(at) && typeof id === 'string') return { at: at as number, id };
  } catch {
    // Falls through to the error below.
  }
  throw invalidField('/cursor', 'must be the nextCursor of an earlier page');
}
