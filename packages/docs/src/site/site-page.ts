import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { linkTo } from './link-to.ts';
import { type MarkdownPage, readMarkdown } from './markdown.ts';
import type { Location } from './navigation.ts';

/** A page of the site, rendered. */
export interface SitePage extends MarkdownPage {
  path: string;
  section: string;
  navigationTitle: string;
  /** As written. */
  source: string;
}

/** Renders the Markdown of a page, with links to the pages and images of the site. */
export function readPage(root: string, location: Location, all: readonly Location[]): SitePage {
  const { file, path, section } = location;
  const source = readFileSync(join(root, file), 'utf8');
  const content = readMarkdown(source, (target) => resolveLink(target, location, all));
  return { ...content, path, section, source, navigationTitle: location.title ?? content.title };
}

function resolveLink(target: string, { file, path }: Location, all: readonly Location[]): string | undefined {
  if (/^([a-z]+:|#)/.test(target)) return target;
  // A file of the server, next to the site.
  if (target.startsWith('/')) return linkTo(path, posix.join('..', target));
  const [name = '', fragment] = target.split('#', 2);
  const linked = posix.join(posix.dirname(file), name);
  const page = all.find((each) => each.file === linked);
  if (page !== undefined) return linkTo(path, page.path) + (fragment === undefined ? '' : `#${fragment}`);
  if (/^deploy\/./.test(linked)) return linkTo(path, `${linked}.txt`);
  if (linked.startsWith('docs/images/')) return linkTo(path, linked.slice('docs/'.length));
  return undefined;
}
