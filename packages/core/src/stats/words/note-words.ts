import type { ReportNote, UnusedSetting } from '../report/report-notes.ts';
import { count, list, percent, plural, quote } from './numbers.ts';
import { windowIs } from './window-words.ts';

/** Says what the reader would otherwise assume wrongly. */
export function describeNote(note: ReportNote): string {
  switch (note.note) {
    case 'planned-end':
      return `The planned number of visitors was reached on ${dayOf(note.at)} (UTC). The goals are evaluated with the first ${count(note.visitors)} visitors, because going on would raise the error rate; only guardrails use all of them.`;
    case 'moved-visitors':
      return `${plural(note.visitors, 'visitor')} saw another variation in an earlier phase and ${note.visitors === 1 ? 'is' : 'are'} not counted.`;
    case 'covariate-imbalance':
      return `CUPED is off, because visitors of ${quote(note.variation)} already differed from those of the control before the test (${note.covariate}). Check that the test, or an earlier one, did not reach them before their first exposure.`;
    case 'pending-visitors':
      return `${count(note.pending)} of ${plural(note.visitors, 'visitor')} ${note.pending === 1 ? 'is' : 'are'} not counted for ${quote(note.name)} yet: their ${windowIs(note.withinDays)} not over.`;
    case 'metric-settings':
      return `Metrics are compared without ${list(note.unused.map((setting) => SETTINGS[setting]))}. A metric has a cap of its own.`;
    case 'quantile-mix':
      return `Quantiles compare all visitors of a variation together: ${percent(note.most.share)} of them have come back from an earlier phase in ${quote(note.most.variation)}, and ${percent(note.least.share)} in ${quote(note.least.variation)}. A difference of a quantile may come from that.`;
  }
}

const SETTINGS: Readonly<Record<UnusedSetting, string>> = {
  cuped: 'CUPED',
  winsorize: 'winsorizing',
  stratify: 'strata of attributes',
};

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
