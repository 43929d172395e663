import type { Audience } from '../api/audience.ts';
import type { Condition, Segment } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import { type ConditionScope, type ContextTest, compileConditions, never } from './conditions.ts';
import { type Dependencies, orderDependencies } from './dependencies.ts';
import { AttributeReaders, oncePerPass, type Pass, SharedTests } from './once-per-pass.ts';
import type { RegexCompiler } from './operators.ts';

/** The order in which segments depend on each other. Of two with the same id, the first counts. */
export function orderSegments(segments: readonly Segment[]): Dependencies {
  const edges = new Map<string, string[]>();
  for (const { id, conditions } of segments) if (!edges.has(id)) edges.set(id, segmentsIn(conditions));
  return orderDependencies(edges);
}

/** The ids of the segments that conditions ask for. */
export function segmentsIn(conditions: readonly Condition[]): string[] {
  return conditions.flatMap(({ operator, values = [] }) =>
    operator === 'inSegment' ? values.map(String) : [],
  );
}

/**
 * What conditions refer to, with the tests of all segments by id. A segment in a cycle is omitted: like an unknown one,
 * it matches nobody. Whoever evaluates the conditions increments the id of the pass for each context.
 */
export function compileScope(segments: readonly Segment[], regex: RegexCompiler, pass: Pass): ConditionScope {
  const { order, unresolvable } = orderSegments(segments);
  const byId = new Map(segments.toReversed().map((segment) => [segment.id, segment]));
  const tests = new Map<string, ContextTest>();
  const scope = {
    regex,
    segment: (id: string) => tests.get(id),
    attributes: new AttributeReaders(pass),
    tests: new SharedTests(pass),
  };
  for (const id of order) {
    const segment = byId.get(id);
    if (!segment || unresolvable.has(id)) continue;
    // Unlike a rule, a segment without conditions matches nobody: an unfinished one must not enable a flag for everyone.
    const isEmpty = segment.conditions.length === 0;
    const test = isEmpty ? never : compileConditions(segment.match, segment.conditions, scope);
    // Otherwise segments that reference each other repeatedly would take exponential time.
    tests.set(id, oncePerPass(test, pass));
  }
  return scope;
}

/**
 * Tells whether contexts belong to a segment.
 *
 * @example createMembership(segments, regex)('beta', { plan: 'beta' }) // true
 */
export function createMembership(
  segments: readonly Segment[],
  regex: RegexCompiler,
): (id: string, context: Context) => boolean {
  const pass: Pass = { id: 0 };
  const scope = compileScope(segments, regex, pass);
  return (id, context) => {
    pass.id++;
    return scope.segment(id)?.(context) ?? false;
  };
}

/** Tells whether contexts belong to the audience of a split test. */
export function createAudienceTest(
  { match, conditions }: Audience,
  segments: readonly Segment[],
  regex: RegexCompiler,
): ContextTest {
  const pass: Pass = { id: 0 };
  const test = compileConditions(match, conditions, compileScope(segments, regex, pass));
  return (context) => {
    pass.id++;
    return test(context);
  };
}
