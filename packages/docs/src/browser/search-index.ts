import type { ApiDocument } from './api/api-document.ts';
import { RankedSearch } from './ranked-search.ts';
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

const MAX_RESULTS = 20;

/** Searches pages and endpoints, in the browser. */
export class SearchIndex {
  readonly #search = new RankedSearch();

  /** Endpoints are added as soon as they are loaded. */
  static async load(onMore: () => void): Promise<SearchIndex> {
    const index = new SearchIndex();
    const response = await fetch(siteUrl('search.json'));
    if (!response.ok) throw new Error(`status ${response.status}`);
    index.#search.add(await response.json());
    void index.#addEndpoints().then(onMore, () => {});
    return index;
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
    this.#search.add(operations);
  }

  find(query: string): Found[] {
    return this.#search.find(query, MAX_RESULTS).map(({ p, t, h, i, c, words }) => ({
      url: siteUrl(p) + (i === '' ? '' : `#${encodeURIComponent(i)}`),
      page: t,
      heading: h || t,
      text: c,
      words,
    }));
  }
}
