import type { FlagUsage } from '@switchyard/core/api/flag-usage';
import { DAY_MS } from '@switchyard/core/time';
import type { Flag } from '../../configuration/property/property-configuration.ts';
import type { ValueTotal } from './flag-usage-store.ts';
import type { StoredLatestValue } from './latest-value-store.ts';
import { OTHER_VALUES, parseUsageValue } from './usage-value.ts';

/** Usage is listed for this period, and a flag is stale if nothing happened for as long. */
export const USAGE_PERIOD_MS = 30 * DAY_MS;

type EnvironmentUsage = FlagUsage['environments'][number];

export interface UsageInput {
  flags: readonly Flag[];
  /** Those of the property, which may depend on the listed ones. */
  allFlags: readonly Flag[];
  environments: readonly { id: string; createdAt: number }[];
  /** Counts of the period. */
  totals: readonly ValueTotal[];
  latest: readonly StoredLatestValue[];
  countingSince: number;
  now: number;
}

export function flagUsage(input: UsageInput): FlagUsage[] {
  const totals = byFlagAndEnvironment(input.totals);
  const latest = byFlagAndEnvironment(input.latest);
  const needed = prerequisitesOf(input.allFlags);
  return input.flags.map((flag) => ({
    flagKey: flag.key,
    environments: input.environments.map((environment) => {
      const key = keyOf({ environmentId: environment.id, flagKey: flag.key });
      const last = latest.get(key)?.[0];
      return {
        environment: environment.id,
        ...listed(totals.get(key) ?? []),
        lastEvaluatedAt: last?.lastAt ?? null,
        stale: staleness(last, {
          // Before that, nothing can be said about the flag.
          observedSince: Math.max(flag.createdAt, environment.createdAt, input.countingSince),
          isNeeded: needed.has(key),
          now: input.now,
        }),
      };
    }),
  }));
}

interface FlagInEnvironment {
  environmentId: string;
  flagKey: string;
}

const keyOf = ({ environmentId, flagKey }: FlagInEnvironment) => JSON.stringify([environmentId, flagKey]);

function byFlagAndEnvironment<T extends FlagInEnvironment>(rows: readonly T[]): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** Flags that others depend on: evaluating those does not count as an evaluation of these. */
function prerequisitesOf(flags: readonly Flag[]): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const { configurations } of flags) {
    for (const { environmentId, prerequisites } of configurations) {
      for (const { flag } of prerequisites) needed.add(keyOf({ environmentId, flagKey: flag }));
    }
  }
  return needed;
}

function listed(totals: readonly ValueTotal[]): Pick<EnvironmentUsage, 'evaluations' | 'values'> {
  const values = totals
    // The other values are last, however frequent.
    .toSorted((a, b) => rank(a) - rank(b) || b.count - a.count || (a.value < b.value ? -1 : 1))
    .map(({ value, count, lastAt }) => ({ value: parseUsageValue(value), count, lastAt }));
  return { evaluations: totals.reduce((sum, { count }) => sum + count, 0), values };
}

const rank = ({ value }: ValueTotal) => (value === OTHER_VALUES ? 1 : 0);

interface Observation {
  observedSince: number;
  isNeeded: boolean;
  now: number;
}

/** Never by age alone: the flag must have been observed for the whole period. */
function staleness(
  last: StoredLatestValue | undefined,
  { observedSince, isNeeded, now }: Observation,
): EnvironmentUsage['stale'] {
  const periodStart = now - USAGE_PERIOD_MS;
  if (observedSince > periodStart) return null;
  if (last !== undefined && last.lastAt >= periodStart) {
    const since = Math.max(last.since, observedSince);
    return since <= periodStart ? { reason: 'same_value', since } : null;
  }
  if (isNeeded) return null;
  return { reason: 'not_evaluated', since: Math.max(last?.lastAt ?? 0, observedSince) };
}
