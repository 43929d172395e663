import { type Static, Type } from 'typebox';
import { PublishedAudience } from './audience.ts';
import {
  EntityKey,
  freeObject,
  namedObject,
  oneOf,
  PageApiKey,
  PropertyId,
  SessionId,
  Timestamp,
} from './common.ts';

const Variation = namedObject('Variation', {
  key: Type.String(),
  weight: Type.Number({ minimum: 0, description: 'Relative share of traffic' }),
  value: Type.String({ description: 'Content of the variation; JSON as text for tests of type `json`' }),
  retired: Type.Optional(
    Type.Literal(true, {
      description:
        'The variation was taken out: visitors who are assigned to it are not included, so they get the first variation and no exposure is sent. It has the key and value of the first variation and its own weight, so clients that do not know this member show the control too',
    }),
  ),
});

const SplitTest = namedObject('SplitTest', {
  key: Type.String(),
  id: Type.String(),
  type: oneOf(['id', 'text', 'json']),
  status: Type.String({
    description:
      'Always `running`: only active tests are returned. A stopped test with a winner is returned too, with the winner as its first variation and no traffic',
  }),
  hashSeed: Type.String(),
  trafficAllocation: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Percentage of visitors included',
  }),
  variations: Type.Array(Variation, { description: 'The first one is the control' }),
  phase: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Increases when a change moves visitors between variations. Send it with exposures',
    }),
  ),
  unit: Type.Optional(
    Type.Literal('user', {
      description:
        'Traffic and variation are drawn with the user id where it is known, else with the visitor id. Omitted for tests that count visitors',
    }),
  ),
  audience: Type.Optional(PublishedAudience),
  exclusion: Type.Optional(
    Type.Object(
      { seed: Type.String(), from: Type.Number({ minimum: 0 }), to: Type.Number({ maximum: 100 }) },
      {
        title: 'ExclusionRange',
        description:
          'Only visitors with `from <= h("exclusion:" + seed + ":" + visitorId) * 100 < to` are included. Tests in the same group share the seed',
      },
    ),
  ),
});

const Holdout = Type.Object(
  { seed: Type.String(), percentage: Type.Number({ exclusiveMinimum: 0, maximum: 100 }) },
  {
    title: 'Holdout',
    description:
      'Visitors with `h("holdout:" + seed + ":" + visitorId) * 100 < percentage` are excluded from all tests. Omitted if there is no holdout',
  },
);

export const SplitTestConfigQuery = Type.Object({ propertyId: PropertyId });
export type SplitTestConfigQuery = Static<typeof SplitTestConfigQuery>;

export const SplitTestConfig = Type.Object(
  {
    tests: Type.Array(SplitTest),
    ttl: Type.Integer({ description: 'Seconds; same as `max-age`' }),
    holdout: Type.Optional(Holdout),
  },
  {
    title: 'SplitTestConfig',
    examples: [
      {
        tests: [
          {
            key: 'hero',
            id: 'tst_4kP0aZ',
            type: 'text',
            status: 'running',
            hashSeed: 's1',
            trafficAllocation: 100,
            variations: [
              { key: 'control', weight: 50, value: 'Buy' },
              { key: 'b', weight: 50, value: 'Get it' },
            ],
            phase: 1,
          },
        ],
        ttl: 60,
      },
    ],
  },
);
export type SplitTestConfig = Static<typeof SplitTestConfig>;

const EXPOSURE_FIELDS = {
  splitTestKey: EntityKey,
  variationKey: EntityKey,
  timestamp: Type.Optional(Timestamp),
  phase: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'The `phase` of the definition used for the assignment',
    }),
  ),
  bot: Type.Optional(
    Type.Boolean({
      description:
        'The visitor is a crawler. Only needed for exposures sent by a server; otherwise crawlers are detected by their user agent',
    }),
  ),
  attributes: Type.Optional(freeObject('Attributes of the visitor at the time of exposure')),
};

const Exposure = namedObject('Exposure', {
  ...EXPOSURE_FIELDS,
  sessionId: SessionId,
});

/** Of the session that the request names once. */
export const CollectExposure = namedObject('CollectExposure', EXPOSURE_FIELDS);

export const MAX_EXPOSURES = 500;

export const ExposeBody = Type.Object(
  {
    propertyId: PropertyId,
    apiKey: PageApiKey,
    exposures: Type.Array(Exposure, { minItems: 1, maxItems: MAX_EXPOSURES }),
  },
  {
    title: 'ExposeBody',
    examples: [
      {
        propertyId: 'shop',
        exposures: [
          {
            splitTestKey: 'hero',
            variationKey: 'b',
            sessionId: 's-7f3c9a',
            timestamp: 1767225600000,
            attributes: { country: 'NL' },
          },
        ],
      },
    ],
  },
);
export type ExposeBody = Static<typeof ExposeBody>;
