import { type Static, Type } from 'typebox';
import {
  EntityKey,
  From,
  metadata,
  NextCursor,
  namedObject,
  nullable,
  oneOf,
  PageCursor,
  PageLimit,
  PropertyId,
  SessionId,
  To,
} from './common.ts';

export const FeedbackBody = Type.Object(
  {
    feedbackTypeId: EntityKey,
    propertyId: PropertyId,
    sessionId: Type.Optional(SessionId),
    option: Type.Optional(Type.String({ description: 'One of the options of the feedback type' })),
    message: Type.Optional(
      Type.String({ maxLength: 5000, description: 'Free text; only for feedback types with text input' }),
    ),
    metadata: Type.Optional(metadata({ keys: 20, keyLength: 256, valueLength: 1024 })),
  },
  {
    title: 'FeedbackBody',
    'x-required-any': ['option', 'message'],
    'x-error-code': 'feedback_empty',
    description: 'At least one of `option` and `message` is required',
    examples: [
      {
        feedbackTypeId: 'nps',
        propertyId: 'shop',
        sessionId: 's-7f3c9a',
        option: 'good',
        message: 'Fast checkout',
      },
    ],
  },
);
export type FeedbackBody = Static<typeof FeedbackBody>;

const FeedbackStatus = oneOf(['new', 'seen', 'done'], { title: 'FeedbackStatus' });
export type FeedbackStatus = Static<typeof FeedbackStatus>;

export const FeedbackQuery = Type.Object({
  propertyId: PropertyId,
  feedbackTypeId: Type.Optional(EntityKey),
  option: Type.Optional(Type.String()),
  sessionId: Type.Optional(SessionId),
  status: Type.Optional(FeedbackStatus),
  from: From,
  to: To,
  limit: PageLimit,
  cursor: PageCursor,
});
export type FeedbackQuery = Static<typeof FeedbackQuery>;

const submitted = {
  id: Type.String(),
  feedbackTypeId: Type.String(),
  sessionId: nullable(Type.String()),
  visitorId: nullable(Type.String()),
  userId: nullable(Type.String()),
  option: nullable(Type.String()),
  message: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  createdAt: Type.Integer(),
};

/** An entry as it was submitted. */
export const SubmittedFeedback = namedObject('SubmittedFeedback', submitted);

const FeedbackEntry = namedObject('FeedbackEntry', {
  ...submitted,
  status: FeedbackStatus,
  notes: nullable(Type.String()),
});

export const FeedbackPage = Type.Object(
  { feedback: Type.Array(FeedbackEntry), nextCursor: NextCursor },
  {
    title: 'FeedbackPage',
    examples: [
      {
        feedback: [
          {
            id: 'fbk_3vN8qL1x',
            feedbackTypeId: 'nps',
            sessionId: 's-7f3c9a',
            visitorId: 'v-81b2',
            userId: null,
            option: 'good',
            message: 'Fast checkout',
            metadata: { page: '/checkout' },
            createdAt: 1767225600000,
            status: 'seen',
            notes: 'Thanked them',
          },
        ],
        nextCursor: null,
      },
    ],
  },
);
export type FeedbackPage = Static<typeof FeedbackPage>;

/** What the team records about an entry. */
export const FeedbackStateBody = Type.Object(
  {
    status: Type.Optional(FeedbackStatus),
    notes: Type.Optional(
      Type.Union([Type.String({ maxLength: 4000 }), Type.Null()], {
        description: 'Null or empty removes them',
      }),
    ),
  },
  {
    title: 'FeedbackStateBody',
    minProperties: 1,
    examples: [{ status: 'done', notes: 'Fixed in the next release' }],
  },
);
export type FeedbackStateBody = Static<typeof FeedbackStateBody>;

export const FeedbackState = Type.Object(
  {
    id: Type.String(),
    status: FeedbackStatus,
    notes: nullable(Type.String()),
    updatedBy: Type.String(),
    updatedAt: Type.Integer(),
  },
  {
    title: 'FeedbackState',
    examples: [
      {
        id: 'fbk_3vN8qL1x',
        status: 'done',
        notes: 'Fixed in the next release',
        updatedBy: 'acc_5f0c',
        updatedAt: 1767225600000,
      },
    ],
  },
);
export type FeedbackState = Static<typeof FeedbackState>;
