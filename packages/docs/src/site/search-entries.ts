import type { SitePage } from './site-page.ts';

/** What the search finds: a section of a page. Short names, because there are hundreds of them. */
export interface SearchEntry {
  /** Path of the page. */
  p: string;
  /** Title of the page. */
  t: string;
  /** Heading, and its id; empty for the start of a page. */
  h: string;
  i: string;
  /** The text. */
  c: string;
}

export const searchEntries = (pages: readonly SitePage[]): SearchEntry[] =>
  pages.flatMap(({ path, title, sections }) =>
    sections.map(({ level, id, text, content }) => ({
      p: path,
      t: title,
      h: level === 1 ? '' : text,
      i: level === 1 ? '' : id,
      c: content.trim(),
    })),
  );
