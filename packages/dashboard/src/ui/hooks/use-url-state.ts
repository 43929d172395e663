import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

export type UrlState = Record<string, string | undefined>;

/**
 * Filters that live in the URL, so that they survive a reload and can be shared. Values equal to their default are left
 * out of the URL.
 * @param defaults a constant
 */
export function useUrlState<const T extends UrlState>(
  defaults: T,
): [Record<keyof T, string>, (changes: Partial<Record<keyof T, string | undefined>>) => void] {
  const search = useSearch({ strict: false }) as UrlState;
  const navigate = useNavigate();
  const state = useMemo(
    () =>
      Object.fromEntries(Object.keys(defaults).map((name) => [name, search[name] ?? defaults[name] ?? ''])),
    [defaults, search],
  ) as Record<keyof T, string>;
  const change = useCallback(
    (changes: Partial<Record<keyof T, string | undefined>>) =>
      void navigate({
        to: '.',
        replace: true,
        resetScroll: false,
        search: (previous: UrlState) => withChanges(previous, changes, defaults),
      } as never),
    [navigate, defaults],
  );
  return [state, change];
}

function withChanges(previous: UrlState, changes: UrlState, defaults: UrlState): UrlState {
  const next = Object.entries({ ...previous, ...changes });
  return Object.fromEntries(
    next.filter(([name, value]) => value !== undefined && value !== (defaults[name] ?? '')),
  );
}
