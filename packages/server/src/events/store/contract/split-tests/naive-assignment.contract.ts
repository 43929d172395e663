import { assign } from '@switchyard/core/evaluation/assignment';
import { smallHashFraction } from '@switchyard/core/evaluation/small-hash';
import type { AssignmentQuery, AssignmentSplit } from '../../assignment-queries.ts';
import type { NaiveEventStore } from '../naive-event-store.contract.ts';

/** Visitors, converted visitors, conversions and micro-dollars of one group. */
export interface NaiveGroup {
  key: string;
  visitors: number;
  goals: Record<string, { converted: number; n: number; nSquares: number; micros: number }>;
}

export function naiveAssignments(
  model: NaiveEventStore,
  { propertyId, split, from, to, goalIds, revenueGoalIds = [] }: AssignmentQuery,
): NaiveGroup[] {
  const firstAt = new Map<string, number>();
  const crawlers = new Set<string>();
  const botSessions = model
    .traffic(propertyId)
    .collects.flatMap(({ sessionId, device }) => (device === 'bot' ? [sessionId] : []));
  for (const { sessionId, visitorId, startedAt } of model.sessions(propertyId)) {
    if (visitorId === null || startedAt < from || startedAt >= to) continue;
    if (botSessions.includes(sessionId)) crawlers.add(visitorId);
    firstAt.set(visitorId, Math.min(startedAt, firstAt.get(visitorId) ?? startedAt));
  }
  const groups = naiveKeys(split).map((key): NaiveGroup => ({ key, visitors: 0, goals: {} }));
  for (const [visitorId, since] of firstAt) {
    const group = groups.find(({ key }) => key === naiveKey(split, visitorId));
    if (crawlers.has(visitorId) || group === undefined) continue;
    group.visitors++;
    for (const goalId of goalIds) {
      const own = model
        .sessions(propertyId)
        .filter((session) => session.visitorId === visitorId)
        .flatMap(({ sessionId }) => model.session(propertyId, sessionId)!.timeline)
        .filter((line) => line.type === 'goal')
        .filter((line) => line.goalId === goalId && line.at >= since && line.at < to);
      if (own.length === 0) continue;
      const n = own.reduce((sum, { count }) => sum + count, 0);
      const micros = own.reduce((sum, { amountMicros }) => sum + amountMicros, 0);
      const isConverted = (revenueGoalIds.includes(goalId) && micros !== 0 ? micros : n) > 0;
      const sums = group.goals[goalId] ?? { converted: 0, n: 0, nSquares: 0, micros: 0 };
      group.goals[goalId] = {
        converted: sums.converted + (isConverted ? 1 : 0),
        n: sums.n + n,
        nSquares: sums.nSquares + n * n,
        micros: sums.micros + micros,
      };
    }
  }
  return groups;
}

const naiveKeys = (split: AssignmentSplit) =>
  split.kind === 'test' ? split.test.variations.map(({ key }) => key) : ['held-out', 'others'];

function naiveKey(split: AssignmentSplit, visitorId: string): string | undefined {
  if (split.kind === 'test') return split.test.variations[assign(split.test, visitorId).index]!.key;
  const point = smallHashFraction(`holdout:${split.holdout.seed}:${visitorId}`) * 100;
  if (point < split.holdout.percentage) return 'held-out';
  return point < split.largest ? undefined : 'others';
}
