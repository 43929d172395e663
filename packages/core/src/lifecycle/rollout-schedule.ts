import type { Rollout, Rule } from '../api/targeting.ts';
import { isGuarded } from '../evaluation/measured-rules.ts';

/** The rollout after its due steps, which are removed; the same object if none is due, or if each needs a look first. */
export function applyDueSteps(rollout: Rollout, now: number): Rollout {
  if (isGuarded(rollout)) return rollout;
  const { schedule = [], ...rest } = rollout;
  const due = schedule.filter(({ at }) => at <= now);
  const last = due.at(-1);
  if (last === undefined) return rollout;
  const future = schedule.slice(due.length);
  return { ...rest, percentage: last.percentage, ...(future.length === 0 ? {} : { schedule: future }) };
}

/** The time of the next step of any rule that time alone makes; infinity if there is none. */
export function nextStepAt(rules: readonly Rule[]): number {
  return Math.min(
    ...rules.flatMap(({ rollout }) =>
      isGuarded(rollout) ? [] : (rollout?.schedule?.map(({ at }) => at) ?? []),
    ),
  );
}
