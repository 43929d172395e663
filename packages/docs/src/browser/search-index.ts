import MiniSearch from 'minisearch';
import type { SearchEntry } from '../site/search-entries.ts';
import type { ApiDocument } from './api/api-document.ts';
import { serverUrl, siteUrl } from './site-url.ts';

export interface Found {
  url: string;
  /** The page, or the kind of result. */
  page: string;
  heading: string;
  text: string;
  /** The words of the query as they occur in the text. */
  words: string[];
}

type Entry = SearchEntry & { id: number };

const MAX_RESULTS = 20;

/** Searches pages and endpoints, in the browser. */
export class SearchIndex {
  readonly #index = new MiniSearch<Entry>({
    fields: ['t', 'h', 'c'],
    storeFields: ['p', 't', 'h', 'i', 'c'],
    searchOptions: {
      boost: { h: 4, t: 3 },
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  #count = 0;

  /** Endpoints are added as soon as they are loaded. */
  static async load(onMore: () => void): Promise<SearchIndex> {
    const index = new SearchIndex();
    const response = await fetch(siteUrl('search.json'));
    if (!response.ok) throw new Error(`status ${response.status}`);
    index.#add(await response.json());
    void index.#addEndpoints().then(onMore, () => {});
    return index;
  }

  #add(entries: SearchEntry[]): void {
    this.#index.addAll(entries.map((entry) => ({ ...entry, id: this.#count++ })));
  }

  async #addEndpoints(): Promise<void> {
    const document: ApiDocument = await (await fetch(`${serverUrl()}/openapi.json`)).json();
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, summary, description = '' }]) => ({
        p: 'api',
        t: 'API',
        h: summary,
        i: operationId,
        c: `${method.toUpperCase()} ${path}\n${description}`,
      })),
    );
    this.#add(operations);
  }

  find(query: string): Found[] {
    return this.#index
      .search(query)
      .slice(0, MAX_RESULTS)
      .map(({ p, t, h, i, c, match }) => ({
        url: siteUrl(p) + (i === '' ? '' : `#${encodeURIComponent(i)}`),
        page: t,
        heading: h || t,
        text: c,
        words: Object.keys(match),
      }));
  }
}
