import type { Audience } from '@switchyard/core/api/audience';
import type { Segment } from '@switchyard/core/api/targeting';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { type ExplainedAudience, explainAudience } from '@switchyard/core/evaluation/explain-audience';
import { type ExplainedFlag, explainFlag } from '@switchyard/core/evaluation/explain-flag';
import { compileFlags, type Evaluation } from '@switchyard/core/evaluation/flags';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import {
  attributesOf,
  type Targeting,
  TargetingIndex,
  unknownAttributes,
} from '@switchyard/core/evaluation/used-attributes';
import { shortAudience, shortSteps } from './short-steps.ts';

/** Flags and a context to evaluate them with. */
export interface EvaluationInput {
  targeting: Targeting;
  context: Context;
}

/** An audience, the segments that it uses, and a context to evaluate them with. */
export interface AudienceInput {
  audience: Audience;
  segments: readonly Segment[];
  context: Context;
}

/** The value of a flag, and which attributes were missing. */
export interface EvaluatedFlag {
  key: string;
  evaluation: Evaluation;
  unknown: string[];
}

/** On the report thread. */
export function explainedFlag(
  key: string,
  { targeting, context }: EvaluationInput,
  regex: RegexCompiler,
): ExplainedFlag | null {
  const explained = explainFlag(key, targeting, context, { regex });
  return explained ? { ...explained, steps: shortSteps(explained.steps) } : null;
}

/** On the report thread. */
export function explainedAudience(
  { audience, segments, context }: AudienceInput,
  regex: RegexCompiler,
): ExplainedAudience {
  const { step, unknown } = explainAudience(audience, segments, context, { regex });
  return { step: shortAudience(step), unknown };
}

/** On the report thread. */
export function evaluatedFlags(
  { targeting, context }: EvaluationInput,
  regex: RegexCompiler,
): EvaluatedFlag[] {
  const set = compileFlags(targeting.flags, targeting.segments, { regex });
  const index = new TargetingIndex(targeting);
  return targeting.flags.map(({ key }) => ({
    key,
    evaluation: set.evaluate(key, context)!,
    unknown: unknownAttributes(attributesOf(index.neededFor([key])), context),
  }));
}
