import type { ExposedSessions } from '../../session-conditions.ts';
import { exposuresOf, isInWindow, type NaiveFacts, unitOf, visitorsOf } from '../naive-visitors.contract.ts';
import { conversionsOf, type Matches, net } from '../split-tests/naive-outcomes.contract.ts';

/** Ids of the sessions with an exposure in the phase whose visitor matches. */
export function naiveExposedSessions(
  facts: NaiveFacts,
  { variationKey, multipleVariations, converted, ...phase }: ExposedSessions,
): Set<string> {
  const matching = visitorsOf(facts, phase).filter((visitor) => {
    if (multipleVariations !== undefined && (visitor.variationKey === null) !== multipleVariations)
      return false;
    if (converted === undefined) return true;
    const { goalId, isRevenue, value } = converted;
    const isOfGoal: Matches = (it) => it.kind === 'conversion' && it.goalId === goalId;
    const { n, a } = net(
      conversionsOf(facts, visitor.unit, isOfGoal, phase.unit).filter(({ receivedAt }) =>
        isInWindow(visitor, receivedAt, phase),
      ),
    );
    return (isRevenue && a !== 0 ? a : n) > 0 === value;
  });
  const units = new Set(matching.map(({ unit }) => unit));
  const sessions = exposuresOf(facts, phase)
    .filter((it) => variationKey === undefined || it.variationKey === variationKey)
    .map(({ sessionId }) => sessionId);
  return new Set(sessions.filter((sessionId) => units.has(unitOf(facts, sessionId, phase.unit))));
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
