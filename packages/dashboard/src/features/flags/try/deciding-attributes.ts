import type { Condition, Segment } from '@switchyard/core/api/targeting';
import type { FlagEnvironment } from '../../configuration/configuration-types.ts';

/** Attributes that decide what a flag serves, also through its segments. */
export function decidingAttributes(
  { rules }: Pick<FlagEnvironment, 'rules'>,
  segments: readonly Segment[],
): string[] {
  const names = new Set<string>();
  const seen = new Set<string>();
  const visit = ({ attribute, operator, values = [] }: Condition) => {
    if (operator !== 'inSegment') {
      if (attribute) names.add(attribute);
      return;
    }
    for (const { id, conditions } of segments) {
      if (!values.includes(id) || seen.has(id)) continue;
      seen.add(id);
      conditions.forEach(visit);
    }
  };
  for (const { conditions = [], rollout, split } of rules) {
    conditions.forEach(visit);
    // Any id will do for percentages; this is the usual one.
    if (rollout || split) names.add(rollout?.by ?? 'userId');
  }
  return [...names];
}
