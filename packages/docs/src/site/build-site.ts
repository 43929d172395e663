import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Assets, renderPage } from './layout.ts';
import { type Location, readDecisions, readNavigation } from './navigation.ts';
import { searchEntries } from './search-entries.ts';
import { readPage, type SitePage } from './site-page.ts';

interface BuildOptions {
  /** Of the repository. */
  root: string;
  dist: string;
  assets: Assets;
}

/** Writes all pages, as HTML and as Markdown, the images, the files of `deploy` and the search index. */
export function buildSite({ root, dist, assets }: BuildOptions): void {
  const locations = readNavigation(root);
  const decisions = readDecisions(root);
  const read = (location: Location) => readPage(root, location, [...locations, ...decisions]);
  const pages = locations.map(read);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), text);
  };
  for (const page of [...pages, ...decisions.map(read)]) {
    write(`${page.path || 'index'}.html`, renderPage({ page, pages, assets }));
    write(`${page.path || 'index'}.md`, page.source);
  }
  write('404.html', renderPage({ page: NOT_FOUND, pages, assets }));
  write('search.json', JSON.stringify(searchEntries(pages)));
  write('llms.txt', pageList(pages));
  // As text, so that browsers show them. Not hidden files: `.env` has the passwords of whoever tried the Compose file.
  for (const entry of readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const file = join(entry.parentPath, entry.name);
    write(`${relative(root, file)}.txt`, readFileSync(file, 'utf8'));
  }
  const images = join(root, 'docs', 'images');
  if (existsSync(images)) cpSync(images, join(dist, 'images'), { recursive: true });
}

/** The list of all pages as Markdown, for language models. */
const pageList = (pages: readonly SitePage[]) =>
  `# Switchyard\n\n${pages.map(({ path, title, description }) => `- [${title}](docs/${path || 'index'}.md): ${description}`).join('\n')}\n`;

const NOT_FOUND: SitePage = {
  path: '404',
  section: 'Error 404',
  title: 'Page not found',
  navigationTitle: '',
  description: '',
  source: '',
  headings: [],
  sections: [],
  links: [],
  html: '<h1>Page not found</h1>\n<p>There is no page at this address. Use the search or the list of pages.</p>',
};
