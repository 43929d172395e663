import type { Audience, PublishedAudience, PublishedCondition } from '../api/audience.ts';
import type { Condition, Segment } from '../api/targeting.ts';
import { numberOf } from './attribute-values.ts';
import { parseInstant } from './instant.ts';
import { operatorKind, type RegexCompiler } from './operators.ts';
import { pagePattern } from './page-pattern.ts';
import { createMembership, orderSegments } from './segments.ts';
import { parseSemver } from './semver.ts';
import { USER_AGENT_NAMES } from './user-agent-names.ts';

/** Attributes whose values pages must not contain. */
export const HASHED_ATTRIBUTES: readonly string[] = ['email', 'userId'];

export interface PublishTools {
  /** What hashed values start with. */
  readonly salt: string;
  /** The first 32 hexadecimal digits of the SHA-256 of a text. */
  readonly sha256: (text: string) => string;
  readonly regex: RegexCompiler;
}

type Published = PublishedCondition | PublishedAudience;

const NOBODY: PublishedAudience = { match: 'any', conditions: [] };

/**
 * An audience for pages, with its segments resolved: `isInAudience` gives the same results for it as
 * `compileConditions` for the original.
 */
export function publishAudience(
  { match = 'all', conditions }: Audience,
  segments: readonly Segment[],
  tools: PublishTools,
): PublishedAudience {
  const { order, unresolvable } = orderSegments(segments);
  const byId = new Map(segments.toReversed().map((segment) => [segment.id, segment]));
  const groups = new Map<string, PublishedAudience>();
  const publish = (list: readonly Condition[]) => list.map((each) => publishCondition(each, groups, tools));
  for (const id of order) {
    const segment = byId.get(id);
    if (!segment || unresolvable.has(id)) continue;
    const isEmpty = segment.conditions.length === 0;
    const group = () => ({ match: segment.match ?? 'all', conditions: publish(segment.conditions) });
    groups.set(id, isEmpty ? NOBODY : group());
  }
  return { match: conditions.length === 0 ? 'all' : match, conditions: publish(conditions) };
}

function publishCondition(
  condition: Condition,
  groups: ReadonlyMap<string, PublishedAudience>,
  tools: PublishTools,
): Published {
  const { attribute, operator, values = [], negate } = condition;
  if (operator === 'inSegment') {
    const known = values.flatMap((id) => groups.get(String(id)) ?? []);
    if (known.length === 0) return NOBODY;
    return { match: 'any', conditions: known, ...(negate && { negate }) };
  }
  if (attribute === undefined) return NOBODY;
  const names = USER_AGENT_NAMES[attribute];
  const published = publishAttribute(attribute, condition, tools);
  return names === undefined ? published : withUserAgent(attribute, condition, { published, names, tools });
}

interface NamedByUserAgent {
  published: Published;
  names: Readonly<Record<string, PublishedAudience>>;
  tools: PublishTools;
}

/** An attribute that the page does not set has the name that its user agent stands for. */
function withUserAgent(
  attribute: string,
  condition: Condition,
  { published, names, tools }: NamedByUserAgent,
): PublishedAudience {
  const isMember = createMembership([{ id: 'met', conditions: [condition] }], tools.regex);
  const met = Object.keys(names).filter((name) => isMember('met', { [attribute]: name }));
  const isMetByUnknown = isMember('met', {});
  const byUserAgent: PublishedAudience = {
    match: 'any',
    conditions: [
      ...met.map((name) => names[name]!),
      ...(isMetByUnknown
        ? [{ match: 'any' as const, conditions: Object.values(names), negate: true as const }]
        : []),
    ],
  };
  const unset = { attribute, operator: 'isNotSet' } as const;
  return {
    match: 'any',
    conditions: [...(isMetByUnknown ? [] : [published]), { match: 'all', conditions: [unset, byUserAgent] }],
  };
}

function publishAttribute(attribute: string, condition: Condition, tools: PublishTools): Published {
  const { operator, negate = false, caseInsensitive = false } = condition;
  if (operator === 'isSet') return negate ? NOBODY : { attribute, operator };
  if (operator === 'isNotSet') return { attribute, operator: negate ? 'isSet' : operator };
  const values = publishedValues(condition);
  if (values.length === 0) return NOBODY;
  const isOpposite = operator === 'notEquals' || operator === 'notIn';
  const isNegated = negate !== isOpposite;
  const isHashed = isHashedCondition(condition);
  return {
    attribute,
    operator: isOpposite || operator === 'equals' ? 'in' : operator,
    values: isHashed ? values.map((value) => hashed(String(value), operator, tools)) : values,
    ...(isNegated && { negate: isNegated }),
    ...(caseInsensitive && { caseInsensitive }),
    ...(isHashed && { salt: tools.salt }),
  };
}

/** Whether pages get only hashes of its values. */
export const isHashedCondition = ({ attribute = '', operator }: Condition): boolean =>
  HASHED_ATTRIBUTES.includes(attribute) && operatorKind(operator) === 'text';

const WHOLE: readonly string[] = ['equals', 'notEquals', 'in', 'notIn'];

/** Of a part of a text, the length must be known too. */
function hashed(value: string, operator: string, { salt, sha256 }: PublishTools): string {
  const hash = sha256(salt + value);
  return WHOLE.includes(operator) ? hash : `${hash}:${value.length}`;
}

/** The values as pages compare them, each once. */
function publishedValues({
  operator,
  values = [],
  caseInsensitive,
}: Condition): NonNullable<PublishedCondition['values']> {
  const [first] = values;
  switch (operatorKind(operator)) {
    case 'number':
      return [numberOf(first)].filter((value) => value !== undefined);
    case 'instant':
      return [parseInstant(first)].filter((value) => value !== undefined);
    case 'version': {
      const compared = operator === 'semverEqual' ? values : [first];
      return compared.filter((value): value is string => parseSemver(value) !== undefined);
    }
    case 'pattern':
      return values.flatMap((value) => pagePattern(String(value)) ?? []);
    default:
      return [
        ...new Set(values.map((value) => (caseInsensitive ? String(value).toLowerCase() : String(value)))),
      ];
  }
}
