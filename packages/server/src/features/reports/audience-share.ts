import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { createAudienceTest } from '@switchyard/core/evaluation/segments';
import { attributesOfAudience } from '@switchyard/core/evaluation/used-attributes';
import type { AudienceInForce } from '@switchyard/core/lifecycle/phases';
import type { EventQueries } from '../../events/store/event-store.ts';
import { oncePerPage } from './impact-sessions.ts';
import type { PlannedAudience } from './plan/test-plan.ts';
import type { Replay } from './replay.ts';
import { type ReplayedPeriod, replaySessions } from './replay-sessions.ts';

/** The share of the visitors of the last days with a session that matches an audience. */
export async function audienceShare(
  eventStore: Pick<EventQueries, 'sessionContexts'>,
  period: ReplayedPeriod,
  audience: AudienceInForce,
  regex: RegexCompiler,
  signal?: AbortSignal,
): Promise<PlannedAudience> {
  const used = attributesOfAudience(audience);
  const matches = oncePerPage(used, createAudienceTest(audience, audience.segments, regex));
  let inside = 0;
  let isInside = false;
  const replay: Replay = {
    kind: 'audiences',
    used,
    add(sessions, at) {
      isInside ||= matches(sessions, at);
    },
    endVisitor() {
      if (isInside) inside++;
      isInside = false;
      return false;
    },
  };
  const { visitors, sampled } = await replaySessions(eventStore, period, [replay], signal);
  return { share: visitors === 0 ? 0 : inside / visitors, visitors, sampled };
}
