import type { ReportedRolloutPhase } from '../report/rollout-report.ts';
import type { RolloutDecision } from '../rollout/guarded-rollout.ts';
import { count } from './numbers.ts';

type Waiting = Pick<ReportedRolloutPhase, 'visitorsInside' | 'visitorsOutside' | 'problems'>;

/** What a decision about a rollout says, as sentences for the dashboard and the history. */
export function describeRolloutDecision(
  decision: RolloutDecision,
  present: Waiting,
  { minVisitors }: { minVisitors: number | null },
): string {
  switch (decision.action) {
    case 'go':
      return decision.reason === 'safe'
        ? 'Harm beyond the margins is excluded.'
        : `No harm is proven with ${count(present.visitorsInside)} visitors inside.`;
    case 'roll-back':
      return 'Harm is proven.';
    default:
      return describeWaiting(decision.reason, present, minVisitors);
  }
}

function describeWaiting(
  reason: Extract<RolloutDecision, { action: 'wait' | 'stay' }>['reason'],
  { visitorsInside, visitorsOutside, problems }: Waiting,
  minVisitors: number | null,
): string {
  // It also matters before a step is due: harm cannot be found either.
  if (problems.length > 0) return `Visitors cannot be compared. ${problems.join(' ')}`;
  switch (reason) {
    case 'not-due':
      return 'No harm is proven so far.';
    case 'last-step':
      return 'No harm is proven so far, and no step is left.';
    case 'not-comparable':
      return 'Visitors cannot be compared.';
    case 'not-enough-data':
      if (visitorsInside + visitorsOutside === 0)
        return 'Nobody has been recorded at this percentage yet: visitors are recorded by the Node SDK, and by evaluations that say "record".';
      return `Not enough data: ${count(visitorsInside)} visitors inside and ${count(visitorsOutside)} outside at this percentage${
        minVisitors === null
          ? ', and harm beyond the margins is not excluded'
          : `, and ${count(minVisitors)} inside are wanted`
      }.`;
  }
}
