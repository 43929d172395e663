import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A file in `docs/navigation.json`, relative to `docs`; an object if URL or title differ from those of the file. */
type Entry = string | { file: string; path?: string; title?: string };

interface Navigation {
  sections: { title: string; pages: Entry[] }[];
}

/** Where a page is: its file in the repository and its path on the site, without slashes around it. */
export interface Location {
  file: string;
  path: string;
  section: string;
  /** In the navigation; default: the title of the page. */
  title?: string;
}

/** The pages in the navigation, in its order. */
export function readNavigation(root: string): Location[] {
  const text = readFileSync(join(root, 'docs', 'navigation.json'), 'utf8');
  const { sections }: Navigation = JSON.parse(text);
  return sections.flatMap(({ title: section, pages }) =>
    pages.map((entry) => {
      const { file, path, title } = typeof entry === 'string' ? { file: entry } : entry;
      return {
        file: posix.join('docs', file),
        path: path ?? pathOf(file),
        section,
        ...(title === undefined ? {} : { title }),
      };
    }),
  );
}

/** Pages that others link to, but that are not in the navigation. */
export const readDecisions = (root: string): Location[] =>
  readdirSync(join(root, 'docs', 'decisions')).map((name) => {
    const file = posix.join('decisions', name);
    return { file: posix.join('docs', file), path: pathOf(file), section: 'Decisions' };
  });

/** `guides/results.md` is at `guides/results`, and `README.md` is the start page. */
const pathOf = (file: string) => file.replace(/\.md$/, '').replace(/(^|\/)README$/, '');
