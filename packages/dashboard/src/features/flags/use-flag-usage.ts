import type { FlagUsage, FlagUsageList } from '@switchyard/core/api/flag-usage';
import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { request } from '../../api.ts';
import { formatDate, formatPercent } from '../../ui/format/format.ts';
import { useProperty } from '../configuration/property-context.tsx';

export type EnvironmentUsage = FlagUsage['environments'][number];

/** How often flags are evaluated, and with which values; of one flag, or by key of all. */
export function useFlagUsage(flagKey?: string) {
  const { propertyId } = useProperty();
  const query = useQuery({
    queryKey: ['flag-usage', propertyId, flagKey ?? null],
    queryFn: ({ signal }) =>
      request<FlagUsageList>('/v1/flags/usage', { query: { propertyId, flagKey }, signal }),
  });
  const { data } = query;
  const byKey = useMemo(
    () => new Map(data?.flags.map((usage) => [usage.flagKey, usage.environments])),
    [data],
  );
  return { query, byKey };
}

/** Why a flag can probably be removed; undefined if it is in use. Every environment that evaluates it must agree. */
export function staleReason(environments: readonly EnvironmentUsage[] | undefined): string | undefined {
  const stale = environments?.find((usage) => usage.stale !== null);
  const isUsed = environments?.some((usage) => usage.evaluations > 0 && usage.stale === null);
  if (stale === undefined || isUsed) return undefined;
  const { reason, since } = stale.stale!;
  const value = stale.values[0]?.value;
  if (reason === 'not_evaluated') return `Not evaluated since ${formatDate(since)}`;
  return `Always ${value === undefined ? 'the same value' : flagValueWords(value)} since ${formatDate(since)}`;
}

/** "true 80 %, false 20 %", of the last 30 days; the most frequent values. */
export function servedWords({ values, evaluations }: EnvironmentUsage, max = 2): string {
  const shown = values.slice(0, max).map(({ value, count }) => {
    const name = value === null ? 'others' : flagValueWords(value);
    return values.length === 1 ? name : `${name} ${formatPercent(count / evaluations)}`;
  });
  return shown.join(', ') + (values.length > max ? ` and ${values.length - max} more` : '');
}
