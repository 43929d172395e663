import type { Audience } from '../api/audience.ts';
import type { Condition, Segment } from '../api/targeting.ts';
import { type ConditionRules, checkConditions, type Mistake } from './condition-checks.ts';
import { operatorKind } from './operators.ts';
import { pagePattern } from './page-pattern.ts';
import { HASHED_ATTRIBUTES } from './publish-audience.ts';
import { TargetingIndex } from './used-attributes.ts';

/** Every page loads them. */
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
  let values = 0;
  for (const [at, condition] of conditions.entries()) {
    values += countValues([condition]);
    const place = `${path}/${at}`;
    const reason = pageProblem(condition);
    if (reason !== undefined) mistakes.push({ path: place, message: reason });
    if (condition.operator !== 'inSegment') continue;
    for (const segment of index.withContained((condition.values ?? []).map(String))) {
      values += countValues(segment.conditions);
      const problem = segment.conditions.map(pageProblem).find((each) => each !== undefined);
      if (problem !== undefined)
        mistakes.push({ path: place, message: `uses the segment "${segment.id}", which ${problem}` });
    }
  }
  if (values > MAX_PUBLISHED_VALUES) {
    const message = `has ${values} values with those of its segments; pages load them, so at most ${MAX_PUBLISHED_VALUES} are allowed`;
    mistakes.push({ path, message });
  }
  return mistakes;
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

const countValues = (conditions: readonly Condition[]) =>
  conditions.reduce(
    (sum, { operator, values = [] }) => sum + (operator === 'inSegment' ? 0 : values.length),
    0,
  );
