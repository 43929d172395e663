import type { HistoryPage } from '@switchyard/core/api/management';
import { SAFE_ROLLOUT_NAME } from '@switchyard/core/api/safe-rollout-name';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import type { SplitTest } from '../configuration/configuration-types.ts';

const DAY_MS = 86_400_000;
/** Afterwards, everybody has had time to notice. */
const RECENT_DAYS = 14;

/** Whether harm may have changed the test. */
const mayHaveStopped = ({ onHarm, status, variations }: SplitTest): boolean =>
  onHarm === 'stop' && (status === 'stopped' || variations.some(({ retired }) => retired));

/** What was stopped in a test because of harm, the latest first. */
export const stopsOfTestQuery = (propertyId: string, test: SplitTest) =>
  stopsQuery(propertyId, [test.key, test.version], { key: test.key, limit: 20 }, mayHaveStopped(test));

/** What was stopped in any test in the last two weeks. */
export const recentStopsQuery = (propertyId: string, tests: readonly SplitTest[]) => {
  const today = Math.floor(Date.now() / DAY_MS);
  const from = (today - RECENT_DAYS) * DAY_MS;
  return stopsQuery(propertyId, ['recent', today], { from, limit: 50 }, tests.some(mayHaveStopped));
};

const stopsQuery = (
  propertyId: string,
  key: readonly unknown[],
  query: Record<string, string | number>,
  enabled: boolean,
) =>
  queryOptions({
    queryKey: ['history', propertyId, 'automatic-stops', ...key],
    queryFn: ({ signal }) =>
      request<Static<typeof HistoryPage>>(propertyPath(propertyId, 'history'), {
        query: { entity: 'split-test', actor: SAFE_ROLLOUT_NAME, ...query },
        signal,
      }),
    enabled,
  });
