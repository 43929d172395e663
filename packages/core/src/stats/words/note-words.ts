import type { ReportNote } from '../report/report-notes.ts';
import { count, plural, quote } from './numbers.ts';

/** Says what the reader would otherwise assume wrongly. */
export function describeNote(note: ReportNote): string {
  switch (note.note) {
    case 'planned-end':
      return `The planned number of visitors was reached on ${dayOf(note.at)} (UTC). The goals are evaluated with the first ${count(note.visitors)} visitors, because going on would raise the error rate; only guardrails use all of them.`;
    case 'moved-visitors':
      return `${plural(note.visitors, 'visitor')} saw another variation in an earlier phase and ${note.visitors === 1 ? 'is' : 'are'} not counted.`;
    case 'covariate-imbalance':
      return `CUPED is off, because visitors of ${quote(note.variation)} already differed from those of the control before the test (${note.covariate}). Check that the test, or an earlier one, did not reach them before their first exposure.`;
  }
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
