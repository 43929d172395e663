import { element } from '../element.ts';

/** The little Markdown that descriptions have: paragraphs, code and links. */
export function formatted(text: string): HTMLElement {
  const paragraphs = text.split(/\n\n+/).map((paragraph) => element('p', {}, ...inline(paragraph)));
  return element('div', { class: 'formatted' }, ...paragraphs);
}

function inline(text: string): (Node | string)[] {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    const [, label, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    return label !== undefined && target !== undefined ? element('a', { href: target }, label) : part;
  });
}
