import type { Audience } from '../api/audience.ts';
import type { Condition, Segment } from '../api/targeting.ts';
import { type ConditionRules, checkConditions, type Mistake } from './condition-checks.ts';
import { operatorKind } from './operators.ts';
import { pagePattern } from './page-pattern.ts';
import { HASHED_ATTRIBUTES } from './publish-audience.ts';
import { orderSegments } from './segments.ts';
import { TargetingIndex } from './used-attributes.ts';

/** Values, and conditions without any: every page loads them, those of a segment wherever it is used. */
export const MAX_PUBLISHED_VALUES = 1000;

interface AudienceRules extends Pick<ConditionRules, 'regex'> {
  readonly segments: readonly Segment[];
}

/** All mistakes in the audience of a split test at `path`, which pages must be able to evaluate. */
export function checkAudience(
  { conditions }: Audience,
  path: string,
  { regex, segments }: AudienceRules,
): Mistake[] {
  const known = new Set(segments.map(({ id }) => id));
  const mistakes = checkConditions(conditions, path, { regex, isSegment: (id) => known.has(id) });
  if (mistakes.length > 0) return mistakes;
  const index = new TargetingIndex({ flags: [], segments });
  for (const [at, condition] of conditions.entries()) {
    const place = `${path}/${at}`;
    const reason = pageProblem(condition);
    if (reason !== undefined) mistakes.push({ path: place, message: reason });
    if (condition.operator !== 'inSegment') continue;
    for (const segment of index.withContained((condition.values ?? []).map(String))) {
      const problem = segment.conditions.map(pageProblem).find((each) => each !== undefined);
      if (problem !== undefined)
        mistakes.push({ path: place, message: `uses the segment "${segment.id}", which ${problem}` });
    }
  }
  if (publishedValues(conditions, segments) > MAX_PUBLISHED_VALUES) {
    const message = `has more than ${MAX_PUBLISHED_VALUES} values with those of its segments, which pages load wherever a segment is used`;
    mistakes.push({ path, message });
  }
  return mistakes;
}

/** Segments within segments can make it grow exponentially, so it is counted without publishing them. */
function publishedValues(conditions: readonly Condition[], segments: readonly Segment[]): number {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const sizes = new Map<string, number>();
  const sizeOf = (list: readonly Condition[]): number =>
    list.reduce((sum, { operator, values = [] }) => {
      if (operator !== 'inSegment') return sum + Math.max(1, values.length);
      return sum + values.reduce<number>((total, id) => total + (sizes.get(String(id)) ?? 0), 1);
    }, 0);
  for (const id of orderSegments(segments).order) sizes.set(id, sizeOf(byId.get(id)?.conditions ?? []));
  return sizeOf(conditions);
}

/** Why pages cannot evaluate a condition; completes "the condition …". */
function pageProblem({ attribute = '', operator, values = [] }: Condition): string | undefined {
  const kind = operatorKind(operator);
  if (HASHED_ATTRIBUTES.includes(attribute) && kind !== 'text' && kind !== 'presence') {
    return `compares ${attribute} with ${operator}: pages get only hashes of it, so use equals, in, contains, startsWith or endsWith`;
  }
  if (kind !== 'pattern') return undefined;
  const unknown = values.map(String).find((pattern) => pagePattern(pattern) === undefined);
  if (unknown === undefined) return undefined;
  return `has the pattern ${JSON.stringify(unknown)}, which browsers understand differently or search too slowly: write it without flags such as (?i), classes such as [[:alpha:]], \\Q…\\E, and repetitions of a group that has repetitions or alternatives`;
}
