import type { Audience } from '../api/audience.ts';
import type { AudienceStep } from '../api/explanations.ts';
import type { Segment } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import { ConditionExplainer } from './explain-conditions.ts';
import type { RegexCompiler } from './operators.ts';
import { attributesOfAudience, unknownAttributes } from './used-attributes.ts';

export interface ExplainedAudience {
  readonly step: AudienceStep;
  /** Attributes that the audience uses and the context does not have. */
  readonly unknown: string[];
}

/**
 * Whether a context belongs to the audience of a split test, and why, by the conditions as they were written.
 *
 * @param segments those that the audience uses, directly or not
 * @example explainAudience({ conditions }, segments, { plan: 'pro' }, { regex }).step.passed // true
 */
export function explainAudience(
  audience: Audience,
  segments: readonly Segment[],
  context: Context,
  { regex }: { regex: RegexCompiler },
): ExplainedAudience {
  const { match = 'all', conditions } = audience;
  const explainer = new ConditionExplainer(segments, context, regex);
  const steps = explainer.steps(conditions);
  return {
    step: {
      match,
      conditions: steps,
      segments: explainer.segmentSteps(),
      passed: explainer.holds(match, conditions),
    },
    unknown: unknownAttributes(attributesOfAudience({ conditions, segments }), context),
  };
}
