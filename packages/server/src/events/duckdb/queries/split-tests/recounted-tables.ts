/** What a visitor is counted from: the sessions with their visitor at that time, and the rows stored until then. */
export interface RecountedSide {
  resolved: string;
  isRead: string;
}

/** The columns that counting reads of each table of events. */
export const RECOUNTED_COLUMNS = {
  exposures: 'split_test, variation, happened_at, received_at, unit_key, phase, bot',
  conversions: 'goal, direction, amount_micros, happened_at, unit_key',
  feedback: 'feedback_type, option, happened_at',
};

export type RecountedTable = keyof typeof RECOUNTED_COLUMNS;

/** The temporary table with the events of the sessions that are counted again. */
export const recountedTable = (table: RecountedTable) => `recounted_${table}`;
