import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { escapeHtml } from './escape-html.ts';
import { HeadingIds } from './heading-ids.ts';
import { highlight, languageLabel } from './highlight.ts';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** The text between two headings, for the search. */
interface TextSection extends Heading {
  content: string;
}

export interface MarkdownPage {
  title: string;
  /** The first paragraph. */
  description: string;
  /** Without the title. */
  headings: Heading[];
  sections: TextSection[];
  links: string[];
  html: string;
}

/** Returns the URL of a link or image, or `undefined` for a file that the site does not have. */
export type ResolveLink = (target: string) => string | undefined;

/** Reads a page; `resolve` turns its links, which are paths in the repository, into URLs of the site. */
export function readMarkdown(source: string, resolve: ResolveLink = (target) => target): MarkdownPage {
  const markdown = createMarkdownIt({ html: true });
  const tokens = markdown.parse(source, {});
  const headings = addHeadingIds(tokens);
  const links = resolveLinks(tokens, resolve);
  addRules(markdown);
  return {
    title: headings.find(({ level }) => level === 1)?.text ?? '',
    description: firstParagraph(tokens),
    headings: headings.filter(({ level }) => level > 1),
    sections: textSections(tokens, headings),
    links,
    html: markdown.renderer.render(tokens, markdown.options, {}),
  };
}

/** The text of a token without its formatting. */
const plainText = (token: Token): string =>
  (token.children ?? [])
    .map((child) => (child.type === 'softbreak' ? ' ' : child.type.startsWith('html') ? '' : child.content))
    .join('');

function addHeadingIds(tokens: Token[]): Heading[] {
  const ids = new HeadingIds();
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const text = plainText(tokens[index + 1]!);
    const id = ids.idOf(text);
    token.attrSet('id', id);
    return [{ level: Number(token.tag.slice(1)), id, text }];
  });
}

function resolveLinks(tokens: Token[], resolve: ResolveLink): string[] {
  const links: string[] = [];
  for (const child of tokens.flatMap((token) => token.children ?? [])) {
    const name = child.type === 'image' ? 'src' : child.type === 'link_open' ? 'href' : undefined;
    if (name === undefined) continue;
    const target = String(child.attrGet(name) ?? '');
    links.push(target);
    const url = resolve(target);
    if (url !== undefined) child.attrSet(name, url);
    // A link to a file that only the repository has becomes plain text that names the file.
    else Object.assign(child, { tag: 'span', attrs: [['title', `In the repository: ${target}`]] });
  }
  closeReplacedLinks(tokens);
  return links;
}

function closeReplacedLinks(tokens: Token[]): void {
  for (const { children } of tokens) {
    let tag = 'a';
    for (const child of children ?? []) {
      if (child.type === 'link_open') tag = child.tag;
      if (child.type === 'link_close') child.tag = tag;
    }
  }
}

function firstParagraph(tokens: Token[]): string {
  const index = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0);
  return index === -1 ? '' : plainText(tokens[index + 1]!);
}

function textSections(tokens: Token[], headings: Heading[]): TextSection[] {
  const sections: TextSection[] = [];
  let next = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') sections.push({ ...headings[next++]!, content: '' });
    const isHeading = tokens[index - 1]?.type === 'heading_open';
    const text = token.type === 'inline' && !isHeading ? plainText(token) : '';
    const section = sections.at(-1);
    if (section !== undefined && text !== '') section.content += `${text}\n`;
  }
  return sections;
}

function addRules(markdown: MarkdownIt): void {
  const { rules } = markdown.renderer;
  rules.heading_close = (tokens, index) => {
    const open = tokens.findLast((token, at) => at < index && token.type === 'heading_open')!;
    if (open.tag === 'h1') return '</h1>\n';
    const label = escapeHtml(`Link to “${plainText(tokens[index - 1]!)}”`);
    return ` <a class="anchor" href="#${open.attrGet('id')}" aria-label="${label}">#</a></${open.tag}>\n`;
  };
  rules.fence = (tokens, index) => {
    const { content, info } = tokens[index]!;
    const language = info.trim().split(/\s+/, 1)[0]!;
    const label = languageLabel(language);
    const caption = label === '' ? '' : `<figcaption>${label}</figcaption>`;
    const kind = language === 'text' ? 'code text' : 'code';
    // Can be scrolled with the keyboard.
    return `<figure class="${kind}">${caption}<pre tabindex="0"><code>${highlight(content, language)}</code></pre></figure>\n`;
  };
  // A wide table scrolls on its own.
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.html_block = (tokens, index) => tokens[index]!.content.replace(/<!--[\s\S]*?-->\s*/g, '');
  rules.html_inline = (tokens, index) => tokens[index]!.content.replace(/<!--[\s\S]*?-->/g, '');
}
