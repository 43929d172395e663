import { MAX_PREVIEW_URLS, type PrivacyPreview, type PrivacySettings } from '@switchyard/core/api/privacy';
import { createCleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { SessionSummary } from '../../events/store/session-summary.ts';

type StoredUrls = Pick<SessionSummary, 'entryUrl' | 'exitUrl' | 'referrer'>;

/** What the settings would have changed in the URLs of these sessions. */
export function previewUrls(
  sessions: readonly StoredUrls[],
  settings: PrivacySettings,
): Omit<PrivacyPreview, 'removedToday'> {
  const cleaner = createCleaner(settings);
  const pages = new Map<string, number>();
  const referrers = new Map<string, number>();
  for (const { entryUrl, exitUrl, referrer } of sessions) {
    for (const url of new Set([entryUrl, exitUrl])) count(pages, url);
    count(referrers, referrer);
  }
  const changed = [...changes(pages, cleaner.url), ...changes(referrers, cleaner.referrer)];
  return {
    sessions: sessions.length,
    urls: pages.size + referrers.size,
    changed: changed.sort((a, b) => b.sessions - a.sessions).slice(0, MAX_PREVIEW_URLS),
  };
}

function count(counts: Map<string, number>, url: string | null): void {
  if (url !== null) counts.set(url, (counts.get(url) ?? 0) + 1);
}

function changes(counts: ReadonlyMap<string, number>, clean: (url: string) => string) {
  return [...counts]
    .map(([before, sessions]) => ({ before, after: clean(before), sessions }))
    .filter(({ before, after }) => before !== after);
}
