import type { Impact } from '@switchyard/core/api/impact';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import type { EventQueries } from '../../events/store/event-store.ts';
import { replaysOf } from './impact-replay.ts';
import type { ImpactScope } from './impact-scope.ts';
import { type ReplayLimits, replaySessions } from './replay-sessions.ts';

/** Replays the sessions of the last days through the old and the new definition. */
export async function impactReport(
  eventStore: Pick<EventQueries, 'sessionContexts'>,
  scope: ImpactScope,
  regex: RegexCompiler,
  signal?: AbortSignal,
  limits?: ReplayLimits,
): Promise<Impact> {
  const replays = replaysOf(scope, regex);
  const counts = await replaySessions(eventStore, scope, replays, signal, limits);
  const { type, key, days, flags, splitTests } = scope;
  const { asOf, sessions, visitors, sampled, changed, unknown } = counts;
  const impact: Impact = {
    type,
    key,
    days,
    asOf,
    sessions,
    visitors,
    sampled,
    changed,
    ...(flags && { flags: flags.keys.map((flagKey) => ({ flagKey, environments: [] })) }),
    ...(flags && flags.more > 0 && { moreFlags: flags.more }),
    ...(type === 'segment' && { splitTests: [] }),
    ...(splitTests && splitTests.more > 0 && { moreSplitTests: splitTests.more }),
  };
  for (const replay of replays) replay.finish(impact, unknown[replay.kind]);
  return impact;
}
