import type { ExposedSessions } from '../session-conditions.ts';
import { conversionsOf, net } from './naive-outcomes.contract.ts';
import { exposuresOf, type NaiveFacts, unitOf, visitorsOf } from './naive-visitors.contract.ts';

/** Nothing is looked up in other phases, and nothing ends. */
const ONE_PHASE = {
  endsAt: Number.POSITIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  hasEarlierPhases: false,
  hasLaterPhases: false,
};

/** Ids of the sessions with an exposure in the phase whose visitor matches. */
export function naiveExposedSessions(
  facts: NaiveFacts,
  propertyId: string,
  { variationKey, multipleVariations, converted, ...phase }: ExposedSessions,
): Set<string> {
  const query = { propertyId, ...phase, ...ONE_PHASE };
  const matching = visitorsOf(facts, query).filter(({ unit, firstAt, variationKey: only }) => {
    if (multipleVariations !== undefined && (only === null) !== multipleVariations) return false;
    if (converted === undefined) return true;
    const { goalId, isRevenue, until, value } = converted;
    const { n, a } = net(
      conversionsOf(facts, unit, (it) => it.kind === 'conversion' && it.goalId === goalId).filter(
        ({ receivedAt: at }) => at >= firstAt && at < until,
      ),
    );
    return (isRevenue && a !== 0 ? a : n) > 0 === value;
  });
  const units = new Set(matching.map(({ unit }) => unit));
  const sessions = exposuresOf(facts, query)
    .filter((it) => variationKey === undefined || it.variationKey === variationKey)
    .map(({ sessionId }) => sessionId);
  return new Set(sessions.filter((sessionId) => units.has(unitOf(facts, sessionId))));
}

/** When each visitor was first exposed to the test, or to one variation of it. */
export function naiveFirstExposures(
  facts: NaiveFacts,
  splitTestKey: string,
  variationKey: string | undefined,
): Map<string, number> {
  const first = new Map<string, number>();
  for (const request of facts.requests) {
    if (request.kind !== 'exposures') continue;
    for (const it of request.exposures) {
      if (it.splitTestKey !== splitTestKey) continue;
      if (variationKey !== undefined && it.variationKey !== variationKey) continue;
      const unit = unitOf(facts, it.sessionId);
      const at = Math.min(it.at, request.receivedAt, first.get(unit) ?? Number.POSITIVE_INFINITY);
      first.set(unit, at);
    }
  }
  return first;
}
