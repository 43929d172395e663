import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from './common.ts';
import { ID_PATTERN } from './provisioning-fields.ts';
import { FlagValue } from './targeting.ts';

export const IMPACT_TYPES = ['flag', 'segment', 'split-test'] as const;
export const MAX_IMPACT_EXAMPLES = 5;
export const MAX_TRANSITIONS = 20;
/** Longer values of flags are cut. */
export const MAX_IMPACT_TEXT = 200;

export const ImpactBody = Type.Object(
  {
    type: oneOf(IMPACT_TYPES),
    key: Type.String({ pattern: ID_PATTERN }),
    definition: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'The item as it would be saved, like the body of `PUT`; null: it would be deleted',
    }),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 7 })),
  },
  {
    title: 'ImpactRequest',
    additionalProperties: false,
    examples: [
      {
        type: 'flag',
        key: 'new-checkout',
        definition: {
          type: 'boolean',
          defaultValue: false,
          environments: { production: { enabled: true, value: true } },
        },
      },
    ],
  },
);
export type ImpactBody = Static<typeof ImpactBody>;

const Visitors = Type.Integer({
  description: 'Number of visitors; if `sampled` is less than 1, of visitors in the sample',
});
const Examples = Type.Array(Type.String(), {
  description: `Ids of up to ${MAX_IMPACT_EXAMPLES} sessions`,
});

const UnknownAttribute = namedObject('UnknownAttribute', {
  attribute: Type.String(),
  visitors: Type.Integer({ description: 'Visitors with a session that does not have the attribute' }),
});

/** Visitors whose sessions get another result. */
const transition = <T extends typeof FlagValue | ReturnType<typeof Type.String>>(title: string, result: T) =>
  namedObject(title, {
    from: nullable(result),
    to: nullable(result),
    visitors: Visitors,
    examples: Examples,
  });

export const FlagTransition = transition('FlagTransition', FlagValue);
export type FlagTransition = Static<typeof FlagTransition>;
export const VariationTransition = transition('VariationTransition', Type.String());
export type VariationTransition = Static<typeof VariationTransition>;

export const EnvironmentImpact = namedObject('EnvironmentImpact', {
  environment: Type.String(),
  changed: Type.Integer({ description: 'Visitors who get another value in at least one session' }),
  transitions: Type.Array(FlagTransition, {
    description: `The ${MAX_TRANSITIONS} with the most visitors, most first. Null: the flag does not exist. Texts are cut to ${MAX_IMPACT_TEXT} characters`,
  }),
  unknown: Type.Array(UnknownAttribute, {
    description: 'Attributes that the old or the new definition uses, and that sessions do not have',
  }),
});
export type EnvironmentImpact = Static<typeof EnvironmentImpact>;

export const FlagImpact = namedObject('FlagImpact', {
  flagKey: Type.String(),
  environments: Type.Array(EnvironmentImpact),
});
export type FlagImpact = Static<typeof FlagImpact>;

const splitTestImpact = {
  changed: Visitors,
  transitions: Type.Array(VariationTransition, {
    description: `The ${MAX_TRANSITIONS} with the most visitors, most first. Null: the visitor does not take part, for example because no session matches the audience, or the test is not served`,
  }),
  ifRunning: Type.Array(
    namedObject('VariationVisitors', { variation: Type.String(), visitors: Type.Integer() }),
    {
      description:
        'How the new definition would divide the visitors, whatever its status. Of a test with an audience, visitors with a session that matches',
    },
  ),
  unknown: Type.Array(UnknownAttribute, {
    description:
      'Attributes that the old or the new audience uses, and that sessions do not have. What pages know by themselves is filled in as far as it is stored',
  }),
};

export const SplitTestImpact = namedObject('SplitTestImpact', splitTestImpact);
export type SplitTestImpact = Static<typeof SplitTestImpact>;

export const NamedSplitTestImpact = namedObject('NamedSplitTestImpact', {
  splitTestKey: Type.String(),
  ...splitTestImpact,
});
export type NamedSplitTestImpact = Static<typeof NamedSplitTestImpact>;

export const SegmentImpact = namedObject('SegmentImpact', {
  before: Type.Integer({ description: 'Visitors with a session that matches now' }),
  after: Type.Integer({ description: 'Visitors with a session that matches the new definition' }),
  entering: Type.Integer({ description: 'Visitors who match only the new definition' }),
  leaving: Type.Integer({ description: 'Visitors who match only the old definition' }),
  examples: namedObject('SegmentExamples', { matching: Examples, entering: Examples, leaving: Examples }),
  unknown: Type.Array(UnknownAttribute),
});
export type SegmentImpact = Static<typeof SegmentImpact>;

export const Impact = namedObject('Impact', {
  type: oneOf(IMPACT_TYPES),
  key: Type.String(),
  days: Type.Integer(),
  asOf: Type.Integer({ description: 'When the sessions were read; Unix milliseconds' }),
  sessions: Type.Integer({ description: 'Sessions that were replayed; without those of crawlers' }),
  visitors: Visitors,
  sampled: Type.Number({
    description: 'Share of the visitors that was replayed: 1, or less if there are very many',
  }),
  changed: Type.Integer({
    description:
      'Visitors who get another value or variation. Entering or leaving a segment alone does not count; without the flags of `moreFlags` and the split tests of `moreSplitTests`',
  }),
  flags: Type.Optional(
    Type.Array(FlagImpact, {
      description: 'The flag, and those that have it as a prerequisite; of a segment, the flags that use it',
    }),
  ),
  moreFlags: Type.Optional(
    Type.Integer({ description: 'How many affected flags are left out, because there are very many' }),
  ),
  segment: Type.Optional(SegmentImpact),
  splitTest: Type.Optional(SplitTestImpact),
  splitTests: Type.Optional(
    Type.Array(NamedSplitTestImpact, {
      description: 'Of a segment: the split tests whose audience uses it, without archived ones',
    }),
  ),
  moreSplitTests: Type.Optional(
    Type.Integer({ description: 'How many affected split tests are left out, because there are very many' }),
  ),
});
export type Impact = Static<typeof Impact>;
