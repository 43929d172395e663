import { type Static, type TProperties, Type } from 'typebox';
import {
  From,
  IdempotencyHeaders,
  NextCursor,
  namedObject,
  nullable,
  oneOf,
  PageLimit,
  To,
} from './common.ts';
import { FixedDecisionRule } from './decision/decision-rule.ts';
import { ProvisionedSplitTest } from './provisioned-split-test.ts';
import { ProvisionedFlag, ProvisionedProperty, ProvisionedSettings } from './provisioning.ts';
import { closed, ID_PATTERN, Line } from './provisioning-fields.ts';
import { MeasuredRuleName } from './results.ts';
import { ProvisionedWebhook } from './webhooks.ts';

const Version = Type.Integer({ minimum: 1, description: 'Also the `ETag`; send it as `If-Match`' });
/** An object that is described elsewhere. */
const anyObject = (title: string) =>
  Type.Unsafe<object>({ type: 'object', title, additionalProperties: true });
const Time = Type.Integer({ description: 'Unix milliseconds' });

/** An item as responses have it: the fields of the provision file, and what the server adds. */
export const managed = <T extends TProperties>(title: string, fields: T) =>
  Type.Object({ ...fields, version: Version }, { title });

export const ManagedWebhook = managed('ManagedWebhook', {
  ...ProvisionedWebhook.properties,
  createdAt: Time,
  secret: Type.Optional(
    Type.String({ description: 'Signs the requests; only in the response that created or rotated it' }),
  ),
});
export const ManagedFlag = managed('ManagedFlag', {
  ...ProvisionedFlag.properties,
  // In responses, a configuration also has an id.
  environments: Type.Record(Type.String(), anyObject('ManagedFlagConfiguration')),
  id: Type.String(),
  createdAt: Time,
});
export const ManagedSplitTest = managed('ManagedSplitTest', {
  ...ProvisionedSplitTest.properties,
  exclusion: nullable(anyObject('ExclusionSlot')),
  id: Type.String(),
  createdAt: Time,
  phases: Type.Array(anyObject('SplitTestPhase')),
  decisionRule: Type.Optional(FixedDecisionRule),
});

/** The settings of a property, without its lists. */
export const PropertySettings = Type.Object(ProvisionedSettings, closed('PropertySettings'));
export const ManagedProperty = managed('ManagedProperty', { ...ProvisionedSettings, createdAt: Time });
export const PropertyList = namedObject('PropertyList', {
  properties: Type.Array(
    namedObject('PropertySummary', {
      id: Type.String(),
      name: Type.String(),
      role: Type.String(),
      version: Version,
      createdAt: Time,
    }),
  ),
});

export const NewProperty = Type.Object(
  {
    id: ProvisionedProperty.properties.id,
    name: ProvisionedProperty.properties.name,
    timeZone: ProvisionedProperty.properties.timeZone,
    retentionDays: ProvisionedProperty.properties.retentionDays,
  },
  { title: 'NewProperty' },
);
export type NewProperty = Static<typeof NewProperty>;

/** @param lists schemas of the items by list */
export const wholeConfiguration = (lists: Readonly<Record<string, object>>) =>
  namedObject('WholeConfiguration', {
    property: ManagedProperty,
    ...Object.fromEntries(
      Object.entries(lists).map(([name, item]) => [name, Type.Array(Type.Unsafe<object>(item))]),
    ),
    version: Version,
  });

const ApiKeyFields = {
  id: Type.String(),
  kind: oneOf(['public', 'secret']),
  name: Type.String(),
  prefix: Type.String(),
  lastFour: Type.String(),
  createdAt: Time,
  lastUsedAt: nullable(Time),
  key: nullable(
    Type.String({ description: 'The whole key; for a secret key only in the response that creates it' }),
  ),
};
export const ManagedKey = namedObject('ManagedKey', ApiKeyFields);
export type ManagedKey = Static<typeof ManagedKey>;
export const KeyList = namedObject('KeyList', { keys: Type.Array(ManagedKey) });
export const NewKey = Type.Object(
  { kind: oneOf(['public', 'secret']), name: Line(256, 'Purpose of the key, unique per kind') },
  { title: 'NewKey' },
);
export type NewKey = Static<typeof NewKey>;

export const FieldChangeSchema = namedObject('FieldChange', {
  pointer: Type.String({ description: 'JSON Pointer' }),
  before: Type.Unknown({ description: 'Null if the field did not exist' }),
  after: Type.Unknown({ description: 'Null if the field does not exist anymore' }),
});

export const DryRun = namedObject('DryRun', {
  dryRun: Type.Literal(true),
  changes: Type.Array(FieldChangeSchema),
  summary: Type.Array(Type.String(), { description: 'The differences in words' }),
  warnings: Type.Array(Type.String()),
  events: Type.Optional(Type.Integer({ description: 'Events that will be deleted with the property' })),
  opensPhase: Type.Optional(
    Type.Array(
      namedObject('OpenedPhase', {
        splitTest: Type.Optional(Type.String()),
        measuredRule: Type.Optional(MeasuredRuleName),
        phase: Type.Integer(),
        reasons: Type.Array(Type.String()),
      }),
      { description: 'Split tests and measured rules whose results start over; each has one of both names' },
    ),
  ),
  needsApproval: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Protected environments that the change affects: it becomes a proposal',
    }),
  ),
});

const Comment = Type.String({
  maxLength: 500,
  pattern: '^[^\\u0000\\p{Cs}]*$',
  description: 'For the history',
});

export const WriteQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Checks everything, changes nothing, and returns the differences' }),
  ),
  comment: Type.Optional(Comment),
});
export type WriteQuery = Static<typeof WriteQuery>;

export const ConditionalHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({ maxLength: 64, description: 'The version that is changed, like `"3"`; `*` for any' }),
  ),
  'if-none-match': Type.Optional(Type.String({ maxLength: 64, description: '`*`: create only' })),
});
export type ConditionalHeaders = Static<typeof ConditionalHeaders>;
export { IdempotencyHeaders };

/** Parameters of a URL below a property. */
const inProperty = <T extends TProperties>(others: T) =>
  Type.Object({ propertyId: Type.String({ maxLength: 128 }), ...others });
const GeneratedId = Type.String({ maxLength: 64 });

export const PropertyParams = inProperty({});
export const ItemParams = inProperty({ key: Type.String({ pattern: ID_PATTERN }) });
export type ItemParams = Static<typeof ItemParams>;

export const HistoryParams = inProperty({ entryId: GeneratedId });
export type HistoryParams = Static<typeof HistoryParams>;
export const ProposalParams = inProperty({ proposalId: GeneratedId });
export type ProposalParams = Static<typeof ProposalParams>;
export const ProposalQuery = Type.Object({
  state: Type.Optional(oneOf(['open', 'approved', 'rejected'])),
});
export type ProposalQuery = Static<typeof ProposalQuery>;
export const KeyParams = inProperty({ keyId: GeneratedId });
export type KeyParams = Static<typeof KeyParams>;
export const ErasureParams = inProperty({ erasureId: GeneratedId });
export type ErasureParams = Static<typeof ErasureParams>;
export const FeedbackParams = inProperty({ feedbackId: GeneratedId });
export type FeedbackParams = Static<typeof FeedbackParams>;
export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The last `id` that was received. One that is no version gets a `reload`' }),
  ),
});
export type StreamHeaders = Static<typeof StreamHeaders>;

export const StopBody = Type.Object(
  {
    winner: ProvisionedSplitTest.properties.winner,
    decision: ProvisionedSplitTest.properties.decision,
  },
  closed('StopSplitTest'),
);
export type StopBody = Static<typeof StopBody>;

export const PromoteBody = Type.Object(
  {
    environment: Type.Optional(Type.String({ minLength: 1, maxLength: 128, default: 'production' })),
    ruleId: Type.String({ minLength: 1, maxLength: 128 }),
    variant: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Which entry of the split, or `on` or `off` of a rollout',
    }),
  },
  { ...closed('PromoteVariant'), examples: [{ ruleId: 'half', variant: 'on' }] },
);
export type PromoteBody = Static<typeof PromoteBody>;

export const HistoryQuery = Type.Object({
  entity: Type.Optional(Type.String({ maxLength: 64, examples: ['flag'] })),
  key: Type.Optional(Type.String({ maxLength: 256 })),
  actor: Type.Optional(Type.String({ maxLength: 256, description: 'Id or name' })),
  from: From,
  to: To,
  limit: PageLimit,
  cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const HistoryEntrySchema = namedObject('HistoryEntry', {
  id: Type.String(),
  at: Type.Integer({ description: 'Unix milliseconds by the clock of the server, which can be set back' }),
  orderedAt: Type.Integer({
    description:
      'Later for every later version: equal to `at`, or just after the previous change if the clock was set back',
  }),
  actor: namedObject('Actor', {
    type: Type.String(),
    id: nullable(Type.String()),
    name: Type.String(),
  }),
  via: oneOf(['dashboard', 'token', 'cli', 'file', 'schedule', 'monitoring'], {
    description: '`monitoring`: by the server itself, because of what it measured',
  }),
  entity: namedObject('HistoryEntity', { type: Type.String(), key: Type.String() }),
  action: oneOf(['create', 'update', 'delete']),
  comment: nullable(Type.String()),
  changes: Type.Array(FieldChangeSchema),
  summary: Type.Array(Type.String(), { description: 'The changes in words' }),
  version: Type.Integer({ description: 'Version of the item after the change' }),
  propertyVersion: Type.Integer({ description: 'Version of the property after the change' }),
  hash: Type.String({ description: 'SHA-256 of this entry and the hash before it' }),
  redacted: Type.Boolean({ description: 'Whether text of it was redacted, or belongs to a deleted account' }),
});
export const HistoryPage = namedObject('HistoryPage', {
  history: Type.Array(HistoryEntrySchema),
  nextCursor: NextCursor,
});

export const RedactionBody = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 256,
        description: 'Redacted wherever it is, also within other text and whatever its case',
        examples: ['ada@shop.example'],
      }),
    ),
    emails: Type.Optional(
      Type.Literal(true, {
        description: 'All e-mail addresses that the present configuration does not have',
      }),
    ),
  },
  { ...closed('RedactionRequest'), minProperties: 1, examples: [{ text: 'ada@shop.example' }] },
);
export type RedactionBody = Static<typeof RedactionBody>;

export const HistoryRedaction = namedObject('HistoryRedaction', {
  dryRun: Type.Boolean(),
  entries: Type.Array(
    namedObject('RedactedEntry', {
      id: Type.String(),
      at: Time,
      entity: namedObject('HistoryEntity', { type: Type.String(), key: Type.String() }),
      action: Type.String(),
      version: Type.Integer(),
    }),
    { description: 'Those with such text, oldest first' },
  ),
  others: Type.Integer({ description: 'Proposals and messages of webhooks with such text' }),
  kept: Type.Array(Type.String(), {
    description: 'E-mail addresses that stay, because the configuration has them',
  }),
});
export type HistoryRedaction = Static<typeof HistoryRedaction>;

export const RestoreBody = Type.Object(
  {
    state: Type.Optional(
      oneOf(['before', 'after'], {
        description: 'Which state of the item to restore',
        default: 'before',
      }),
    ),
  },
  { title: 'RestoreRequest' },
);
export type RestoreBody = Static<typeof RestoreBody>;

const proposalMembers = {
  id: Type.String(),
  state: oneOf(['open', 'approved', 'rejected']),
  collection: Type.String(),
  key: Type.String(),
  method: oneOf(['PUT', 'PATCH', 'DELETE']),
  baseVersion: nullable(Type.Integer()),
  comment: nullable(Type.String()),
  summary: Type.Array(Type.String()),
  author: namedObject('ProposalAuthor', { id: nullable(Type.String()), name: Type.String() }),
  createdAt: Time,
  decidedBy: nullable(Type.String()),
  decidedAt: nullable(Time),
};
const ProposalSummary = namedObject('ProposalSummary', proposalMembers);
export const ProposalSchema = namedObject('Proposal', {
  ...proposalMembers,
  body: nullable(anyObject('ProposedBody')),
  base: Type.Optional(
    nullable(
      Type.Unsafe<object>({
        ...anyObject('ProposalBase'),
        description:
          'The version of the item that the author saw; null if it did not exist or is no longer known. Only for proposals that are decided, and only in the response to `GET`',
      }),
    ),
  ),
});
export const ProposalList = namedObject('ProposalList', { proposals: Type.Array(ProposalSummary) });
export const Proposed = namedObject('Proposed', { proposal: ProposalSchema });
/** @param collections whose items an editor can change */
export const newProposal = (collections: readonly string[]) =>
  Type.Object(
    {
      collection: oneOf(collections),
      key: Type.String({ pattern: ID_PATTERN }),
      method: oneOf(['PUT', 'PATCH', 'DELETE'], { default: 'PATCH' }),
      body: Type.Optional(anyObject('ProposedBody')),
      baseVersion: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'The version of the item that the change is based on; required if the item exists',
        }),
      ),
      comment: Type.Optional(Comment),
    },
    { title: 'NewProposal' },
  );
export type NewProposal = Static<ReturnType<typeof newProposal>>;

export const ErasureBody = Type.Object(
  {
    visitorId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    userId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    sessionId: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    feedbackId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    metadata: Type.Optional(
      Type.Object(
        { key: Type.String({ maxLength: 256 }), value: Type.String({ maxLength: 1024 }) },
        {
          title: 'MetadataPair',
          additionalProperties: false,
          description: 'Goals and feedback with this pair, with or without a session; the session stays',
        },
      ),
    ),
  },
  {
    title: 'ErasureRequest',
    minProperties: 1,
    maxProperties: 1,
    description:
      'Exactly one of them. A user is erased with the visitors who were this user and no other; of a visitor who was several users, the sessions of this user.',
  },
);
export type ErasureBody = Static<typeof ErasureBody>;
export const ErasurePlan = namedObject('ErasurePlan', {
  ...DryRun.properties,
  erases: namedObject('ErasedContents', {
    visitors: Type.Integer({ description: 'Visitors of the sessions' }),
    sessions: Type.Integer(),
    events: Type.Integer({ description: 'Page views and other events of sessions' }),
    exposures: Type.Integer(),
    conversions: Type.Integer({ description: 'Increments and decrements of goals' }),
    feedback: Type.Integer(),
  }),
});
export type ErasurePlan = Static<typeof ErasurePlan>;
const erasureFields = {
  id: Type.String(),
  state: oneOf(['pending', 'done']),
  requestedAt: Time,
  finishedAt: nullable(Time),
  rows: nullable(Type.Integer({ description: 'Removed rows' })),
  error: nullable(Type.String({ description: 'Why the last attempt failed; it will be retried' })),
};
export const Erasure = namedObject('Erasure', erasureFields);
export const PropertyDeletionList = namedObject('PropertyDeletionList', {
  deletions: Type.Array(
    namedObject('PropertyDeletion', {
      ...erasureFields,
      propertyId: Type.String(),
      remaining: Type.Integer({ description: 'Events that are not deleted yet' }),
    }),
  ),
});
