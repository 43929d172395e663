import type { HarmedVariation } from '@switchyard/core/api/webhook-payloads';
import { improvementOf, isRelative } from '@switchyard/core/stats/report/goal-outcome';
import { findHarm, type ProvenHarm } from '@switchyard/core/stats/report/harm';
import type { HarmedGoal } from '@switchyard/core/stats/report/harmed-goal';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import type { ReportScope } from './report-scope.ts';

export interface HarmResponse {
  harms: HarmedVariation[];
  asOf: number;
}

/** What the present phase of a test has to stop; nothing while its visitors cannot be compared. */
export function harmResponse({ phase }: ReportScope, input: ReportInput): HarmResponse {
  const { harms } = findHarm(input, phase?.number ?? 1);
  return { harms: harms.map(harmedVariation), asOf: input.asOf };
}

const harmedVariation = ({ variation, goals, words }: ProvenHarm): HarmedVariation => ({
  variation,
  goals: goals.map(harmedGoal),
  words,
});

export function harmedGoal(goal: HarmedGoal): HarmedVariation['goals'][number] {
  const { id, name, role, control, variation, maxHarm } = goal;
  const unit = isRelative(goal) ? 'relative' : 'absolute';
  const improvement = improvementOf(goal, unit);
  return {
    goalId: id,
    name,
    role,
    control,
    variation,
    improvement: improvement && { ...improvement },
    unit,
    maxHarm,
  };
}
