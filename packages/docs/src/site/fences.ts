import createMarkdownIt from 'markdown-it';

/** A code block of a page. */
export interface Fence {
  /** Of the first line of code, counted from 1. */
  line: number;
  language: string;
  code: string;
  /** The text of a comment `<!-- snippet: … -->` right before it, or of `<!-- snippets: … -->`, which is for all. */
  directive: string | undefined;
}

export function readFences(source: string): Fence[] {
  const tokens = createMarkdownIt({ html: true }).parse(source, {});
  const forAll = /<!-- snippets: (.*?) -->/s.exec(source)?.[1];
  return tokens.flatMap(({ type, map, info, content }, index) => {
    if (type !== 'fence') return [];
    const before = tokens[index - 1];
    const comment = before?.type === 'html_block' ? before.content : '';
    const own = /<!-- snippet: (.*?) -->\s*$/s.exec(comment)?.[1];
    const language = info.trim().split(/\s+/, 1)[0]!;
    return [{ line: map![0] + 2, language, code: content, directive: own ?? forAll }];
  });
}
