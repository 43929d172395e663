import type { ConditionStep, SegmentStep } from '../api/explanations.ts';
import type { Condition, Rule, Segment } from '../api/targeting.ts';
import { type Context, readAttribute } from './attribute-values.ts';
import { type ConditionScope, compileCondition, compileConditions, isMissing } from './conditions.ts';
import type { RegexCompiler } from './operators.ts';
import { compileScope, segmentsIn } from './segments.ts';

/** Tells for one context which conditions hold; by the compiled conditions that evaluations use. */
export class ConditionExplainer {
  readonly #context: Context;
  readonly #scope: ConditionScope;
  readonly #segments = new Map<string, Segment>();
  /** Those that a condition asked for. */
  readonly #askedFor = new Set<string>();

  constructor(segments: readonly Segment[], context: Context, regex: RegexCompiler) {
    this.#context = context;
    this.#scope = compileScope(segments, regex, { id: 0 });
    for (const segment of segments.toReversed()) this.#segments.set(segment.id, segment);
  }

  /** Whether all or any of the conditions hold. */
  holds(match: Rule['match'], conditions: readonly Condition[]): boolean {
    return compileConditions(match, conditions, this.#scope)(this.#context);
  }

  steps(conditions: readonly Condition[]): ConditionStep[] {
    return conditions.map((condition) => this.#step(condition));
  }

  /** The segments that the conditions until now asked for, directly or not. */
  segmentSteps(): SegmentStep[] {
    const steps: SegmentStep[] = [];
    // Segments that contain others add to the set during the loop.
    for (const id of this.#askedFor) {
      const segment = this.#segments.get(id);
      if (segment === undefined) continue;
      steps.push({
        id,
        ...(segment.name !== undefined && { name: segment.name }),
        matched: this.#isMember(id),
        match: segment.match ?? 'all',
        conditions: this.steps(segment.conditions),
      });
    }
    return steps;
  }

  #step(condition: Condition): ConditionStep {
    const matched = compileCondition(condition, this.#scope)(this.#context);
    const { attribute, operator } = condition;
    if (operator === 'inSegment') {
      const segments = segmentsIn([condition]).map((id) => {
        this.#askedFor.add(id);
        return { id, matched: this.#isMember(id) };
      });
      return { ...condition, matched, segments };
    }
    const actual = attribute === undefined ? undefined : readAttribute(this.#context, attribute);
    return isMissing(actual) ? { ...condition, matched, missing: true } : { ...condition, matched, actual };
  }

  #isMember(id: string): boolean {
    return this.#scope.segment(id)?.(this.#context) ?? false;
  }
}
