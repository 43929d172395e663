import { MAX_PAGE_LENGTH } from '@switchyard/core/api/sessions';

/** SQL for the page of a URL: its path, without origin, query and fragment; null without a URL. */
export function pagePath(url: string): string {
  const path = `regexp_extract(${url}, '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?([^?#]*)', 1)`;
  return `left(CASE ${path} WHEN '' THEN '/' ELSE ${path} END, ${MAX_PAGE_LENGTH})`;
}
