import type { Cursor } from '../storage/event-store.ts';

interface PageCursor extends Cursor {
  /** Watermark of the store when the first page was asked for, of lists whose rows may move. */
  asOf?: number;
}

/** Asks for one row more than the page has, to know whether there is a next one. */
export function pageOf<T>(
  rows: T[],
  limit: number,
  position: (row: T) => PageCursor,
): { rows: T[]; nextCursor: string | null } {
  if (rows.length <= limit) return { rows, nextCursor: null };
  const shown = rows.slice(0, limit);
  return { rows: shown, nextCursor: encodeCursor(position(shown.at(-1)!)) };
}

function encodeCursor({ at, id, asOf }: PageCursor): string {
  return Buffer.from(JSON.stringify(asOf === undefined ? [at, id] : [at, id, asOf])).toString('base64url');
}

/** Undefined for what is no cursor of ours; the schema of a query refuses that before a route sees it. */
export function decodeCursor(text: string | undefined): PageCursor | undefined {
  try {
    const [at, id, asOf] = JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as unknown[];
    if (!Number.isSafeInteger(at) || typeof id !== 'string' || !id.isWellFormed()) return undefined;
    return { at: at as number, id, ...(Number.isSafeInteger(asOf) && { asOf: asOf as number }) };
  } catch {
    return undefined;
  }
}
