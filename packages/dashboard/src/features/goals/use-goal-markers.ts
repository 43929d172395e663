import type { HistoryPage } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import type { Period } from '../../ui/fields/period-of.ts';
import type { Configuration } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { resultsOf } from '../split-tests/reported-test.ts';
import { reportedTests } from '../split-tests/reported-tests.ts';
import { titleOf } from '../split-tests/split-test-facts.ts';

export interface Marker {
  at: number;
  label: string;
  /** Path of the page of what changed. */
  to: string;
  search?: Record<string, string>;
}

/** More would hide the chart. */
const MAX_FLAG_CHANGES = 50;

/** What could explain a change of a goal: split tests that started or ended, and flags that were changed. */
export function useGoalMarkers(period: Period): { markers: Marker[]; error: Error | null } {
  const { propertyId, configuration } = useProperty();
  const { from, to } = period;
  const { data, error } = useQuery({
    queryKey: ['history', propertyId, 'flag-markers', from, to],
    queryFn: ({ signal }) =>
      request<Static<typeof HistoryPage>>(propertyPath(propertyId, 'history'), {
        query: { entity: 'flag', from, to, limit: MAX_FLAG_CHANGES },
        signal,
      }),
  });
  const markers = useMemo(
    () =>
      [...testMarkers(configuration), ...flagMarkers(configuration, data?.history ?? [])]
        .filter(({ at }) => at >= from && at < to)
        .sort((a, b) => b.at - a.at),
    [configuration, data, from, to],
  );
  return { markers, error };
}

function testMarkers(configuration: Configuration): Marker[] {
  return reportedTests(configuration).flatMap((test) => {
    const { page: to, search } = resultsOf(test);
    const name = `${test.measuredRule ? 'Measured flag' : 'Split test'} ${titleOf(test)}`;
    return test.phases.flatMap(({ startedAt, endedAt, number }) => [
      { at: startedAt, label: `${name}: phase ${number} started`, to, search },
      ...(endedAt === null ? [] : [{ at: endedAt, label: `${name}: phase ${number} ended`, to, search }]),
    ]);
  });
}

const ACTIONS: Record<string, string> = { create: 'created', update: 'changed', delete: 'deleted' };

function flagMarkers({ flags }: Configuration, history: Static<typeof HistoryPage>['history']): Marker[] {
  const names = new Map(flags.map(({ key, name }) => [key, name]));
  return history.map(({ at, action, entity: { key } }) => ({
    at,
    label: `Flag ${names.get(key) ?? key} ${ACTIONS[action] ?? action}`,
    to: `flags/${encodeURIComponent(key)}`,
  }));
}
