import type { Flag } from '../configuration/configuration-types.ts';

/** Filters of the list, as they are in the URL. */
export const FLAG_FILTERS = { search: '', tag: '', state: '', stale: '', sort: 'name', new: '' };
export type FlagFilters = Record<keyof typeof FLAG_FILTERS, string>;

/** Searches keys, names, descriptions, tags and owners; each word must be found. */
export function filterFlags(
  flags: readonly Flag[],
  filters: FlagFilters,
  isStale: (flag: Flag) => boolean,
): Flag[] {
  const words = filters.search.toLowerCase().split(/\s+/).filter(Boolean);
  const [state, ...environment] = filters.state.split(':');
  const found = flags.filter((flag) => {
    if (filters.tag !== '' && !flag.tags.includes(filters.tag)) return false;
    if (filters.stale !== '' && isStale(flag) !== (filters.stale === 'yes')) return false;
    const isOn = flag.environments[environment.join(':')]?.enabled ?? false;
    if (filters.state !== '' && isOn !== (state === 'on')) return false;
    return words.length === 0 || hasWords(flag, words);
  });
  const byName = (a: Flag, b: Flag) => collator.compare(a.name, b.name);
  return found.sort(filters.sort === 'newest' ? (a, b) => b.createdAt - a.createdAt || byName(a, b) : byName);
}

const collator = new Intl.Collator(undefined, { numeric: true });

function hasWords({ key, name, description, tags, owner }: Flag, words: readonly string[]): boolean {
  const text = [key, name, description, owner, ...tags].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}
