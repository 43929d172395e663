import type { Cursor, TimelineCursor } from '../storage/event-store.ts';

interface ListCursor extends Cursor {
  /** Watermark of the store at the first page, for lists whose rows can move. */
  asOf?: number;
}

/** The `nextCursor` of a page; null on the last one. */
export function encodeListCursor(next: Cursor | undefined, asOf?: number): string | null {
  return next === undefined
    ? null
    : encode(asOf === undefined ? [next.at, next.id] : [next.at, next.id, asOf]);
}

export function encodeTimelineCursor(next: TimelineCursor | undefined): string | null {
  return next === undefined ? null : encode([next.at, next.ordinal]);
}

/** Undefined if the text is not a valid cursor, which the query schema rejects before a route sees it. */
export function decodeListCursor(text: string | undefined): ListCursor | undefined {
  const [at, id, asOf] = decode(text);
  if (!isInteger(at) || typeof id !== 'string' || !id.isWellFormed()) return undefined;
  return { at, id, ...(isInteger(asOf) && { asOf }) };
}

/** Like `decodeListCursor`. */
export function decodeTimelineCursor(text: string | undefined): TimelineCursor | undefined {
  const [at, ordinal] = decode(text);
  return isInteger(at) && isInteger(ordinal) ? { at, ordinal } : undefined;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

function encode(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function decode(text: string | undefined): unknown[] {
  try {
    const position: unknown = JSON.parse(Buffer.from(text ?? '', 'base64url').toString());
    return Array.isArray(position) ? position : [];
  } catch {
    return [];
  }
}
