import { escapeHtml } from './escape-html.ts';
import { icon } from './icons.ts';
import { linkTo } from './link-to.ts';
import type { Heading } from './markdown.ts';
import type { SitePage } from './site-page.ts';

/** File names of the built scripts and styles. */
export type Assets = Record<'site.css' | 'theme.js' | 'site.js' | 'api.js', string>;

export interface PageContext {
  page: SitePage;
  pages: readonly SitePage[];
  assets: Assets;
}

/** A whole page. All URLs are relative, so the site works below any address. */
export function renderPage({ page, pages, assets }: PageContext): string {
  const to = (path: string) => linkTo(page.path, path);
  const isApi = page.path === 'api';
  const title = page.path === '' ? 'Switchyard documentation' : `${page.title} · Switchyard`;
  const script = (name: keyof Assets) =>
    `<script type="module" src="${to(`assets/${assets[name]}`)}"></script>`;
  return `<!doctype html>
<html lang="en" data-root="${to('')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${to('../favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to(`assets/${assets['site.css']}`)}">
<script src="${to(`assets/${assets['theme.js']}`)}"></script>
${script('site.js')}${isApi ? script('api.js') : ''}
</head>
<body class="${isApi ? 'api' : page.path === '' ? 'start' : 'text'}">
<a class="skip" href="#content">Skip to content</a>
${header(to, page)}
<div class="columns">
${navigation(to, page, pages)}
<main id="content" tabindex="-1">
<article>
${page.path === '' ? '' : `<p class="section">${escapeHtml(page.section)}</p>`}
${page.html.replace('</h1>', () => `</h1>\n${shortContents(page.headings)}`)}
${isApi ? apiPlaceholder(to) : ''}
</article>
${previousAndNext(to, page, pages)}
</main>
${isApi ? '' : contents(page.headings)}
</div>
</body>
</html>
`;
}

const header = (to: (path: string) => string, page: SitePage) => `<header class="site">
<a class="menu" href="#navigation" aria-label="Menu">${icon('menu')}</a>
<a class="brand" href="${to('')}">${icon('logo')}<span>Switchyard</span><span class="part">Docs</span></a>
<button class="search" type="button" hidden aria-label="Search">${icon('search')}<span>Search</span><kbd>/</kbd></button>
<nav class="links" aria-label="Site">
<a href="${to('api')}"${page.path === 'api' ? ' aria-current="page"' : ''}>API</a>
<a href="${to('../')}">Dashboard</a>
</nav>
<button class="theme" type="button" hidden aria-label="Switch between light and dark">${icon('sun')}${icon('moon')}</button>
</header>`;

function navigation(to: (path: string) => string, current: SitePage, pages: readonly SitePage[]): string {
  const sections = [...new Set(pages.map(({ section }) => section))];
  const lists = sections.map((section) => {
    const items = pages
      .filter((page) => page.section === section)
      .map((page) => {
        const mark = page.path === current.path ? ' aria-current="page"' : '';
        return `<li><a href="${to(page.path)}"${mark}>${escapeHtml(page.navigationTitle)}</a></li>`;
      });
    return `<h2>${escapeHtml(section)}</h2>\n<ul>${items.join('\n')}</ul>`;
  });
  return `<nav class="pages" id="navigation" aria-label="Pages">
<a class="close" href="#content" aria-label="Close the menu">${icon('close')}</a>
${lists.join('\n')}
</nav>`;
}

/** With more entries than this, the table of contents has only those of the first level. */
const MAX_CONTENTS = 11;

function entries(headings: readonly Heading[]): string {
  const upTo = (max: number) => headings.filter(({ level }) => level <= max);
  return upTo(upTo(3).length > MAX_CONTENTS ? 2 : 3)
    .map(({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('\n');
}

const contents = (headings: readonly Heading[]) =>
  headings.length < 2
    ? '<div class="contents"></div>'
    : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${entries(headings)}</ul></nav>`;

/** The same where there is no room for a third column. */
const shortContents = (headings: readonly Heading[]) =>
  headings.length < 2
    ? ''
    : `<details class="contents"><summary>On this page</summary><ul>${entries(headings)}</ul></details>`;

function previousAndNext(to: (path: string) => string, page: SitePage, pages: readonly SitePage[]): string {
  const index = pages.findIndex(({ path }) => path === page.path);
  if (index === -1) return '';
  const link = (other: SitePage | undefined, name: string, kind: string) =>
    other === undefined
      ? ''
      : `<a class="${kind}" rel="${kind}" href="${to(other.path)}"><span>${name}</span>${escapeHtml(other.navigationTitle)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">
${link(pages[index - 1], 'Previous', 'prev')}
${link(pages[index + 1], 'Next', 'next')}
</nav>`;
}

const apiPlaceholder = (
  to: (path: string) => string,
) => `<div id="api" data-document="${to('../openapi.json')}">
<noscript><p>The list of endpoints needs JavaScript. Without it, use the <a href="${to('../openapi.json')}">OpenAPI document</a>.</p></noscript>
</div>`;
