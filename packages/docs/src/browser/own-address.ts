import { serverUrl } from './site-url.ts';

/** What the pages write for the address of the reader's server. */
const EXAMPLES = /http:\/\/127\.0\.0\.1:8080|https:\/\/switchyard\.example/g;

/** Shows the address of the server that these pages come from in their code blocks and links, ready to paste. */
export function showOwnAddress(container: ParentNode): void {
  const url = serverUrl();
  for (const code of container.querySelectorAll('figure.code code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      text.data = text.data.replace(EXAMPLES, url);
    }
  }
  for (const link of container.querySelectorAll('article a')) {
    const href = link.getAttribute('href') ?? '';
    if (href.search(EXAMPLES) !== 0) continue;
    link.setAttribute('href', href.replace(EXAMPLES, url));
    link.textContent = (link.textContent ?? '').replace(EXAMPLES, url);
  }
}
