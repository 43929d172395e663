import type { Positions } from '../../events/store/event-store.ts';
import type { Cursor, TimelineCursor } from '../../events/store/page.ts';

interface ListCursor extends Cursor {
  /** Positions of the store at the first page, for lists whose rows can move. */
  asOf?: Positions;
}

/** As in the schema of cursors. */
const MAX_LENGTH = 4096;

/**
 * The `nextCursor` of a page; null on the last one. Without the positions if there are too many, one for each node that
 * ever was: then rows that move while pages are read may be missing or repeated.
 */
export function encodeListCursor(next: Cursor | undefined, asOf?: Positions): string | null {
  if (next === undefined) return null;
  const text = encode([next.at, next.id, ...(asOf === undefined ? [] : [asOf])]);
  return text.length <= MAX_LENGTH ? text : encode([next.at, next.id]);
}

export function encodeTimelineCursor(next: TimelineCursor | undefined): string | null {
  return next === undefined ? null : encode([next.at, next.ordinal, next.source]);
}

/** Undefined if the text is not a valid cursor, which the query schema rejects before a route sees it. */
export function decodeListCursor(text: string | undefined): ListCursor | undefined {
  const [at, id, asOf] = decode(text);
  if (!isInteger(at) || typeof id !== 'string' || !id.isWellFormed()) return undefined;
  if (asOf === undefined) return { at, id };
  return isPositions(asOf) ? { at, id, asOf } : undefined;
}

/** Like `decodeListCursor`. */
export function decodeTimelineCursor(text: string | undefined): TimelineCursor | undefined {
  const [at, ordinal, source] = decode(text);
  const isValid = isInteger(at) && isInteger(ordinal) && isSource(source);
  return isValid ? { at, source, ordinal } : undefined;
}

/** A cursor with more was not made here, and would make a query slow. */
const MAX_SOURCES = 1000;
const MAX_SOURCE_LENGTH = 64;

const isSource = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_SOURCE_LENGTH && value.isWellFormed();

function isPositions(value: unknown): value is Positions {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_SOURCES && entries.every(([source, seq]) => isSource(source) && isInteger(seq))
  );
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

function encode(position: readonly (string | number | Positions)[]): string {
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
