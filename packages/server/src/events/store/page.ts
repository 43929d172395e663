/**
 * A page ends at its limit or when its rows reach `PAGE_BYTES`. `next` is the cursor of the next page; undefined on
 * the last page.
 */
export interface Page<Row, Position = Cursor> {
  rows: Row[];
  next: Position | undefined;
}

/** Max size of the rows of a page as JSON, not counting the last row. */
export const PAGE_BYTES = 1024 * 1024;

/** Position in a list sorted newest first. */
export interface Cursor {
  at: number;
  id: string;
}

/** Position in a timeline; source, as text, and ordinal break ties by order of arrival. */
export interface TimelineCursor {
  at: number;
  source: string;
  /** Position in the source times `EVENTS_PER_REQUEST`, plus the index of the event in its request. */
  ordinal: number;
}

/** More than a request can contain. */
export const EVENTS_PER_REQUEST = 512;
