import { PAGE_BYTES } from './page.ts';
import type { SessionSummary } from './session-summary.ts';

/** The summaries that fit on a page. Not in SQL, because a summary is built from several statements. */
export function withinPage(summaries: SessionSummary[]): SessionSummary[] {
  let bytes = 0;
  const end = summaries.findIndex((summary) => {
    const isFull = bytes >= PAGE_BYTES;
    bytes += Buffer.byteLength(JSON.stringify(summary));
    return isFull;
  });
  return end === -1 ? summaries : summaries.slice(0, end);
}
