import { addCopyButtons } from '../copy-buttons.ts';
import { element } from '../element.ts';

export interface CodeTab {
  label: string;
  code: string;
}

/** Code with a copy button; several versions are chosen by radio buttons. */
export function codeBlock(tabs: readonly CodeTab[], group: string): HTMLElement {
  const code = element('code', {}, ...colored(tabs[0]!.code));
  const choices = tabs.map(({ label, code: text }, index) => {
    const input = element('input', { type: 'radio', name: group, checked: index === 0 });
    input.addEventListener('change', () => {
      code.replaceChildren(...colored(text));
    });
    return element('label', {}, input, element('span', {}, label));
  });
  const caption =
    tabs.length === 1
      ? element('figcaption', {}, tabs[0]!.label)
      : element('figcaption', { class: 'tabs', role: 'radiogroup', 'aria-label': 'Language' }, ...choices);
  const figure = element('figure', { class: 'code' }, caption, element('pre', { tabindex: 0 }, code));
  addCopyButtons({ querySelectorAll: () => [figure] } as unknown as ParentNode);
  return figure;
}

/** Names, strings and literals, which is enough for JSON and short calls. */
const TOKEN =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g;

function colored(code: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of code.matchAll(TOKEN)) {
    const kind = match[1] ? 'attr' : match[2] ? 'string' : 'literal';
    parts.push(code.slice(end, match.index), element('span', { class: `hljs-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, code.slice(end)];
}
