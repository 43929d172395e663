/** Max characters of the ids that clients choose; without the schema library, which browsers do not need. */
export const MAX_ID_LENGTH = { sessionId: 500, visitorId: 256, userId: 256 } as const;
