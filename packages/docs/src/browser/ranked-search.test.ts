import { describe, expect, it } from 'vitest';
import { readNavigation } from '../site/navigation.ts';
import { searchEntries } from '../site/search-entries.ts';
import { readPage } from '../site/site-page.ts';
import { RankedSearch } from './ranked-search.ts';

const locations = readNavigation('.');
const search = new RankedSearch();
search.add(searchEntries(locations.map((location) => readPage('.', location, locations))));

const find = (query: string) => search.find(query, 5).map(({ p, i }) => (i === '' ? p : `${p}#${i}`));

describe('the search of the documentation', () => {
  it.each([
    ['install', 'operation/install'],
    ['Statistics', 'reference/statistics'],
    ['split tests', 'reference/split-tests'],
    ['webhook', 'guides/webhooks'],
    ['refund', 'guides/revenue'],
    ['relay', 'guides/relay'],
    ['backup', 'operation/backup'],
    ['gdpr', 'guides/consent'],
  ])('%s leads to its page', (query, path) => {
    expect(find(query)[0]).toBe(path);
  });

  it('knows other words for a thing', () => {
    const splitTests = find('split test').slice(0, 3);
    expect(splitTests).toContain('guides/first-test');
    expect(find('A/B test').slice(0, 3)).toEqual(splitTests);
    expect(find('experiments').slice(0, 3)).toEqual(splitTests);
  });

  it('finds sections by their heading, and nothing for nonsense', () => {
    expect(find('goal_not_found')[0]).toBe('errors#goal_not_found');
    expect(find('qwzxv')).toEqual([]);
  });
});
