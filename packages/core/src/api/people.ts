import { type Static, Type } from 'typebox';
import { namedObject, nullable, SessionId, UserId, VisitorId } from './common.ts';
import { SessionDetail } from './sessions.ts';
import { FlagValue } from './targeting.ts';

/** Changes when members are removed or get another meaning; new ones may come without a change. */
export const PERSON_EXPORT_VERSION = 1;

export const PersonQuery = Type.Object(
  {
    visitorId: Type.Optional(VisitorId),
    userId: Type.Optional(UserId),
    sessionId: Type.Optional(SessionId),
  },
  { minProperties: 1, maxProperties: 1 },
);
export type PersonQuery = Static<typeof PersonQuery>;

const { nextCursor: _, timeline, ...sessionMembers } = SessionDetail.properties;

const FeedbackState = namedObject('PersonFeedbackState', {
  feedbackId: Type.String(),
  status: Type.String(),
  notes: nullable(Type.String()),
});

const PersonFlag = namedObject('PersonFlag', {
  environment: Type.String(),
  flagKey: Type.String(),
  value: FlagValue,
  reason: Type.String(),
});
export type PersonFlag = Static<typeof PersonFlag>;

export const PersonExport = Type.Object(
  {
    format: Type.Literal('switchyard-person'),
    version: Type.Integer(),
    exportedAt: Type.Integer(),
    propertyId: Type.String(),
    person: namedObject('ExportedPerson', {
      visitorId: Type.Optional(Type.String()),
      userId: Type.Optional(Type.String()),
      sessionId: Type.Optional(Type.String()),
    }),
    visitors: Type.Array(Type.String(), {
      description: 'The visitors who belong to the person alone; with a session, none',
    }),
    sessions: Type.Array(
      namedObject('PersonSession', {
        ...sessionMembers,
        timeline,
        feedbackStates: Type.Array(FeedbackState, {
          description: 'What the team has recorded about feedback in the timeline',
        }),
      }),
      { description: 'In the order of their ids; the timeline has events, exposures, goals and feedback' },
    ),
    flags: nullable(
      Type.Array(PersonFlag, {
        description:
          'Values that the latest session would get now: evaluations are not recorded. Null without a session',
      }),
    ),
  },
  { title: 'PersonExport' },
);
export type PersonExport = Static<typeof PersonExport>;
