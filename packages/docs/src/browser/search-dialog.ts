import { element } from './element.ts';
import { type Found, SearchIndex } from './search-index.ts';

const EXCERPT = 140;

let dialog: SearchDialog | undefined;

export function openSearch(): void {
  dialog ??= new SearchDialog();
  dialog.open();
}

/** A dialog with a text field and a list of results: a combobox whose options are links. */
class SearchDialog {
  readonly #input = element('input', {
    type: 'search',
    placeholder: 'Search pages and endpoints',
    'aria-label': 'Search',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'search-results',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  readonly #list = element('div', { id: 'search-results', role: 'listbox', 'aria-label': 'Results' });
  readonly #status = element('p', { class: 'status', role: 'status' });
  readonly #close = element(
    'button',
    { type: 'button', class: 'close', title: 'Close' },
    element('kbd', {}, 'Esc'),
    element('span', {}, 'Close'),
  );
  readonly #dialog = element(
    'dialog',
    { class: 'search', 'aria-label': 'Search' },
    element('div', { class: 'field' }, this.#input, this.#close),
    this.#list,
    this.#status,
    element(
      'p',
      { class: 'keys', 'aria-hidden': 'true' },
      element('kbd', {}, '↑'),
      element('kbd', {}, '↓'),
      ' to choose, ',
      element('kbd', {}, 'Enter'),
      ' to open',
    ),
  );
  #index: SearchIndex | undefined;
  #selected = 0;

  constructor() {
    document.body.append(this.#dialog);
    this.#input.addEventListener('input', () => this.#show());
    this.#input.addEventListener('keydown', (event) => this.#onKey(event));
    this.#close.addEventListener('click', () => this.#dialog.close());
    this.#dialog.addEventListener('click', (event) => {
      const target = event.target as HTMLElement;
      // A click on the backdrop, or on a result of the same page.
      if (target === this.#dialog || target.closest('a')) this.#dialog.close();
    });
    void this.#load();
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.select();
  }

  async #load(): Promise<void> {
    this.#status.textContent = 'Loading …';
    try {
      this.#index = await SearchIndex.load(() => this.#showMore());
      this.#show();
    } catch {
      this.#status.textContent = 'The search could not be loaded. Reload the page to try again.';
    }
  }

  #show(): void {
    if (this.#index === undefined) return;
    const query = this.#input.value.trim();
    const found = query === '' ? [] : this.#index.find(query);
    this.#list.replaceChildren(...found.map(option));
    this.#status.textContent = query === '' ? '' : statusOf(found.length, query);
    this.#select(0);
  }

  /** Whoever has chosen a result already keeps it. */
  #showMore(): void {
    const chosen = this.#list.children[this.#selected]?.getAttribute('href');
    const hasChosen = this.#selected > 0;
    this.#show();
    const index = [...this.#list.children].findIndex((item) => item.getAttribute('href') === chosen);
    if (hasChosen && index > 0) this.#select(index);
  }

  #onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const count = this.#list.childElementCount;
    if (step !== undefined && count > 0) {
      event.preventDefault();
      this.#select((this.#selected + step + count) % count);
    }
    if (event.key === 'Enter') (this.#list.children[this.#selected] as HTMLElement | undefined)?.click();
  }

  #select(index: number): void {
    this.#selected = index;
    for (const [each, item] of [...this.#list.children].entries()) {
      item.setAttribute('aria-selected', String(each === index));
    }
    const item = this.#list.children[index];
    if (item === undefined) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', item.id);
    item?.scrollIntoView({ block: 'nearest' });
  }
}

const statusOf = (count: number, query: string) => (count > 0 ? '' : `Nothing found for “${query}”.`);

const option = ({ url, page, heading, text, words }: Found, index: number) =>
  element(
    'a',
    { href: url, role: 'option', id: `search-result-${index}`, tabindex: -1 },
    page !== heading && element('span', { class: 'page' }, page),
    element('span', { class: 'heading' }, ...marked(heading, words)),
    element('span', { class: 'text' }, ...marked(excerpt(text, words), words)),
  );

/** Whole words: a query may have a word of one letter. */
function pattern(words: readonly string[]): RegExp {
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

/** The part of the text where the first word occurs. */
function excerpt(text: string, words: readonly string[]): string {
  const at = text.search(pattern(words));
  const start = at < 60 ? 0 : text.indexOf(' ', at - 50) + 1;
  const end = start + EXCERPT;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}

const marked = (text: string, words: readonly string[]) =>
  text.split(pattern(words)).map((part, index) => (index % 2 === 1 ? element('mark', {}, part) : part));
