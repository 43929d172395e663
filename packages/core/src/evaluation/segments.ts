import type { Segment } from '../api/targeting.ts';
import { type ContextTest, compileConditions, never } from './conditions.ts';
import { type Dependencies, orderDependencies } from './dependencies.ts';
import type { RegexCompiler } from './operators.ts';

/** Counts evaluations, so that within one of them a segment or flag is decided once, however often it is referred to. */
export interface Pass {
  id: number;
}

/** Which segments refer to which, and those that cannot be resolved; the first of two with one id counts. */
export function orderSegments(segments: readonly Segment[]): Dependencies {
  const edges = new Map<string, string[]>();
  for (const { id, conditions } of segments) {
    const targets = conditions.flatMap(({ operator, values = [] }) =>
      operator === 'inSegment' ? values.map(String) : [],
    );
    if (!edges.has(id)) edges.set(id, targets);
  }
  return orderDependencies(edges);
}

/** The tests of all segments by id. A segment in a cycle is left out: it matches no one, as if unknown. */
export function compileSegments(
  segments: readonly Segment[],
  regex: RegexCompiler,
  pass: Pass,
): ReadonlyMap<string, ContextTest> {
  const { order, refused } = orderSegments(segments);
  const byId = new Map(segments.toReversed().map((segment) => [segment.id, segment]));
  const tests = new Map<string, ContextTest>();
  const scope = { regex, segment: (id: string) => tests.get(id) };
  for (const id of order) {
    const segment = byId.get(id);
    if (!segment || refused.has(id)) continue;
    // Unlike a rule, a segment nobody has filled yet holds nobody: it must not open a flag to everyone.
    const empty = segment.conditions.length === 0;
    tests.set(
      id,
      empty ? never : oncePerPass(compileConditions(segment.match, segment.conditions, scope), pass),
    );
  }
  return tests;
}

/** Without it, segments that refer to each other several times over would cost exponential time. */
function oncePerPass(test: ContextTest, pass: Pass): ContextTest {
  let decidedIn = -1;
  let answer = false;
  return (context) => {
    if (decidedIn !== pass.id) {
      answer = test(context);
      decidedIn = pass.id;
    }
    return answer;
  };
}
