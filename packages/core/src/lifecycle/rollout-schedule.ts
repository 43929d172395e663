import type { Rollout, Rule } from '../api/targeting.ts';

/** The rollout after its due steps, which are removed; the same object if none is due. */
export function applyDueSteps(rollout: Rollout, now: number): Rollout {
  const { schedule = [], ...rest } = rollout;
  const due = schedule.filter(({ at }) => at <= now);
  const last = due.at(-1);
  if (last === undefined) return rollout;
  const future = schedule.slice(due.length);
  return { ...rest, percentage: last.percentage, ...(future.length === 0 ? {} : { schedule: future }) };
}

/** The time of the next step of any rule; infinity if there is none. */
export function nextStepAt(rules: readonly Rule[]): number {
  return Math.min(...rules.flatMap(({ rollout }) => rollout?.schedule?.map(({ at }) => at) ?? []));
}
