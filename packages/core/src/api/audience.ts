import { type Static, Type } from 'typebox';
import { Condition, Match, OPERATORS, type Operator } from './targeting.ts';

/** Who takes part in a split test. */
export const Audience = Type.Object(
  {
    match: Type.Optional(Match),
    conditions: Type.Array(Condition, { minItems: 1, maxItems: 100 }),
  },
  {
    title: 'Audience',
    additionalProperties: false,
    description:
      'Who takes part: visitors whose attributes match all conditions (or any, with `match: "any"`), with the operators and segments of flag rules. Everybody else sees the control and is not counted. Default: null, all visitors',
  },
);
export type Audience = Static<typeof Audience>;

/** These are published as `in`, and segments as groups. */
const REPLACED: readonly Operator[] = ['equals', 'notEquals', 'notIn', 'inSegment'];
const PUBLISHED_OPERATORS = OPERATORS.filter((operator) => !REPLACED.includes(operator));

const PublishedCondition = Type.Object(
  {
    attribute: Type.String(),
    operator: Type.String({ enum: PUBLISHED_OPERATORS }),
    values: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Number()]), {
        description:
          'Texts, patterns or versions; numbers for comparisons, and Unix milliseconds for `before` and `after`. In lower case with `caseInsensitive`',
      }),
    ),
    negate: Type.Optional(
      Type.Literal(true, { description: 'Inverts the result; a missing attribute still does not match' }),
    ),
    caseInsensitive: Type.Optional(Type.Literal(true)),
    salt: Type.Optional(
      Type.String({
        description:
          'The values are hashed: the first 32 hexadecimal digits of the SHA-256 of salt and value. Conditions on `email` and `userId` are published like this',
      }),
    ),
  },
  { title: 'PublishedCondition' },
);

export interface PublishedCondition {
  attribute: string;
  operator: string;
  values?: (string | number)[];
  negate?: true;
  caseInsensitive?: true;
  salt?: string;
}

/** Conditions whose segments are resolved: those of a segment are a group within the others. */
export interface PublishedAudience {
  match: 'all' | 'any';
  conditions: (PublishedCondition | PublishedAudience)[];
  negate?: true;
}

export const PublishedAudience = Type.Unsafe<PublishedAudience>(
  Type.Object(
    {
      match: Match,
      conditions: Type.Array(
        Type.Union([
          PublishedCondition,
          Type.Object(
            {
              match: Match,
              conditions: Type.Array(Type.Object({}, { title: 'PublishedGroupMember' })),
              negate: Type.Optional(Type.Literal(true)),
            },
            { title: 'PublishedGroup', description: 'Conditions of segments, in the format of the audience' },
          ),
        ]),
      ),
      negate: Type.Optional(Type.Literal(true)),
    },
    {
      title: 'PublishedAudience',
      description:
        'Who takes part, with segments resolved. Visitors who do not match get the first variation, and no exposure is sent. `all` of no conditions matches everybody, `any` of none nobody. Omitted if all visitors take part',
    },
  ),
);
