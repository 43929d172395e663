import { count, percent, plural, quote } from './numbers.ts';

export interface PlanFacts {
  readonly goal: string;
  readonly historyDays: number;
  readonly visitors: number;
  readonly converted: number;
  readonly smallestEffect: number;
  readonly variations: number;
  readonly power: number;
  /** Null if there is not enough data. */
  readonly plan: { readonly visitors: number; readonly days: number | null } | null;
  /** Whether the test may stop early. */
  readonly canStopEarly: boolean;
  readonly guardrails?: readonly GuardrailPlan[] | undefined;
  /** Share of the visitors; omitted if all visitors may take part. */
  readonly audienceShare?: number | undefined;
}

interface GuardrailPlan {
  readonly name: string;
  readonly maxHarm: number;
  /** Null if there is not enough data. */
  readonly visitors: number | null;
  readonly days: number | null;
}

/** Describes how long a test takes, and what that is based on. */
export function describePlan(facts: PlanFacts): string {
  const { goal, historyDays, visitors, converted, plan } = facts;
  const base = `In the last ${historyDays === 1 ? 'day' : plural(historyDays, 'day')}, ${count(converted)} of ${plural(visitors, 'visitor')} reached ${quote(goal)}.${describeAudience(facts)}`;
  if (plan === null) {
    return converted === 0
      ? `${base} That is not enough data for a plan: wait for more conversions.`
      : `${base} A change of ${percent(facts.smallestEffect)} cannot be planned: more than everybody would have to convert.`;
  }
  const time = plan.days === null ? '' : `, about ${plural(plan.days, 'day')} at this traffic`;
  return `${base} A test with ${facts.variations} variations needs ${count(plan.visitors)} visitors${time}, to find a change of ${percent(facts.smallestEffect)} or more in ${percent(facts.power)} of the cases.${describeEnd(facts)}${describeGuardrails(facts)}`;
}

function describeAudience({ audienceShare: share }: PlanFacts): string {
  if (share === undefined) return '';
  return ` ${share === 0 ? 'None' : percent(share)} of the visitors belong to the audience.`;
}

/** Those that need more than the test itself: the others are decided by then. */
function describeGuardrails({ guardrails = [], plan }: PlanFacts): string {
  return guardrails
    .filter(({ visitors }) => visitors === null || visitors > plan!.visitors)
    .map(({ name, maxHarm, visitors, days }) => {
      const harm = `harm beyond ${percent(maxHarm)}`;
      if (visitors === null) return ` There is no data on the guardrail ${quote(name)} to plan with.`;
      const time = days === null ? '' : `, about ${plural(days, 'day')}`;
      return ` To exclude ${harm}, the guardrail ${quote(name)} needs ${count(visitors)} visitors${time}.`;
    })
    .join('');
}

const describeEnd = ({ canStopEarly }: PlanFacts) =>
  canStopEarly ? ' A larger change ends the test earlier.' : '';
