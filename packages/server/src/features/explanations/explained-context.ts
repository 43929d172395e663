import type { ExplanationBody } from '@switchyard/core/api/explanations';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { sessionContext } from '@switchyard/core/evaluation/session-context';
import type { SessionDetail } from '../../events/store/event-store.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { ApiError } from '../../platform/errors/errors.ts';

export interface ContextSources {
  eventStore: Pick<EventStoreClient, 'session' | 'sessionPage' | 'knownSessions'>;
  /** Fills in the visitor and user of the session in a context, as evaluations do. */
  withIdentity: (propertyId: string, context: Record<string, unknown>) => Context | Promise<Context>;
}

/** A context, and the stored session that it comes from. */
export interface FoundContext {
  context: Context;
  sessionId?: string;
}

/** The context that a request names: its own, that of a session, or that of the latest session of a visitor. */
export async function contextOf(
  sources: ContextSources,
  propertyId: string,
  { context, sessionId, visitorId }: Pick<ExplanationBody, 'context' | 'sessionId' | 'visitorId'>,
  at: number,
): Promise<FoundContext> {
  if (sessionId !== undefined) {
    const session = await findSession(sources, propertyId, sessionId);
    return { context: contextOfSession(session), sessionId };
  }
  if (visitorId !== undefined) return contextOfVisitor(sources, propertyId, visitorId, at);
  return { context: await sources.withIdentity(propertyId, context ?? {}) };
}

export async function findSession(
  { eventStore }: ContextSources,
  propertyId: string,
  sessionId: string,
): Promise<SessionDetail> {
  const session = await eventStore.session({ propertyId, sessionId, limit: 1 });
  if (session !== undefined) return session;
  throw new ApiError('not_found', { message: `There is no session "${sessionId}".` });
}

export function contextOfSession(session: SessionDetail): Context {
  return sessionContext(attributesOf(session), session);
}

/** Another session may follow, so the context does not have the id of this one. */
async function contextOfVisitor(
  sources: ContextSources,
  propertyId: string,
  visitorId: string,
  at: number,
): Promise<FoundContext> {
  const { rows } = await sources.eventStore.sessionPage({ propertyId, visitorId, to: at + 1, limit: 1 });
  const [latest] = rows;
  if (latest === undefined) return { context: { visitorId } };
  const { sessionId, ...session } = await findSession(sources, propertyId, latest.sessionId);
  return { context: sessionContext(attributesOf(session), { ...session, visitorId }), sessionId };
}

function attributesOf({ attributes }: Pick<SessionDetail, 'attributes'>): Record<string, unknown> {
  return attributes === null ? {} : (JSON.parse(attributes) as Record<string, unknown>);
}
