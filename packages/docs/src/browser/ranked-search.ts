import MiniSearch, { type SearchResult } from 'minisearch';
import type { SearchEntry } from '../site/search-entries.ts';
import { alternativesOf } from './synonyms.ts';

type Entry = SearchEntry & { id: number };
type Ranked = SearchEntry & { words: string[] };

/** Finds sections of pages, those first whose page or heading is called like the query. */
export class RankedSearch {
  readonly #index = new MiniSearch<Entry>({
    fields: ['title', 'h', 't', 'c'],
    storeFields: ['p', 't', 'h', 'i', 'c'],
    // The title counts more at the start of a page than in each of its sections.
    extractField: (entry, field) =>
      field === 'title' ? (entry.h === '' ? entry.t : '') : entry[field as keyof Entry],
    searchOptions: {
      boost: { title: 10, h: 4 },
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  #count = 0;

  add(entries: readonly SearchEntry[]): void {
    this.#index.addAll(entries.map((entry) => ({ ...entry, id: this.#count++ })));
  }

  find(query: string, max: number): Ranked[] {
    const queries = alternativesOf(query);
    const found = this.#index.search({
      combineWith: 'OR',
      queries: queries.map((each) => ({ combineWith: 'AND', queries: [each] })),
    });
    return found
      .map((result) => ({ result, rank: Math.min(...queries.map((each) => rankOf(result, each))) }))
      .sort((a, b) => a.rank - b.rank || b.result.score - a.result.score)
      .slice(0, max)
      .map(({ result: { p, t, h, i, c, match } }) => ({ p, t, h, i, c, words: Object.keys(match) }));
  }
}

/** 0 if the page has this title, 1 if all words are in the title, 2 if the heading is the same, otherwise 3. */
function rankOf({ t, h }: SearchResult, query: string): number {
  const wanted = wordsOf(query);
  if (h !== '') return isSame(wordsOf(h), wanted) ? 2 : 3;
  const title = wordsOf(t);
  if (isSame(title, wanted)) return 0;
  return wanted.every((word) => title.includes(word)) ? 1 : 3;
}

/** In lower case and without the s of the plural. */
const wordsOf = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=..)s$/, ''));

const isSame = (a: readonly string[], b: readonly string[]) => a.join(' ') === b.join(' ');
