import { assign } from '@switchyard/core/evaluation/assignment';
import type { AssignmentQuery } from '../assignment-queries.ts';
import type { NaiveEventStore } from './naive-event-store.contract.ts';

/** Visitors, converted visitors, conversions and micro-dollars of one variation. */
export interface NaiveVariation {
  key: string;
  visitors: number;
  goals: Record<string, { converted: number; n: number; nSquares: number; micros: number }>;
}

export function naiveAssignments(
  model: NaiveEventStore,
  { propertyId, test, from, to, goalIds, revenueGoalIds = [] }: AssignmentQuery,
): NaiveVariation[] {
  const firstAt = new Map<string, number>();
  for (const { visitorId, startedAt } of model.sessions(propertyId)) {
    if (visitorId === null || startedAt < from || startedAt >= to) continue;
    firstAt.set(visitorId, Math.min(startedAt, firstAt.get(visitorId) ?? startedAt));
  }
  const variations = test.variations.map(({ key }): NaiveVariation => ({ key, visitors: 0, goals: {} }));
  for (const [visitorId, since] of firstAt) {
    const variation = variations[assign(test, visitorId).index]!;
    variation.visitors++;
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
      const sums = variation.goals[goalId] ?? { converted: 0, n: 0, nSquares: 0, micros: 0 };
      variation.goals[goalId] = {
        converted: sums.converted + (isConverted ? 1 : 0),
        n: sums.n + n,
        nSquares: sums.nSquares + n * n,
        micros: sums.micros + micros,
      };
    }
  }
  return variations;
}
