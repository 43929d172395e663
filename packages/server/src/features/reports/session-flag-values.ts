import type { FlagValue } from '@switchyard/core/api/targeting';
import { compileFlags } from '@switchyard/core/evaluation/flags';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { sessionContext } from '@switchyard/core/evaluation/session-context';
import { attributesOf, namesIn, type Targeting } from '@switchyard/core/evaluation/used-attributes';
import type { EventQueries } from '../../events/store/event-store.ts';

/** Sessions for which a flag is evaluated, each with the definitions of its moment. */
export interface SessionFlagValuesInput {
  propertyId: string;
  flagKey: string;
  eras: Targeting[];
  /** `era` is a position in `eras`. */
  sessions: { sessionId: string; era: number }[];
}

/** The value for each session, in order; null if nothing is known of it. On the report thread. */
export async function sessionFlagValues(
  eventStore: Pick<EventQueries, 'knownSessions'>,
  { propertyId, flagKey, eras, sessions }: SessionFlagValuesInput,
  regex: RegexCompiler,
): Promise<(FlagValue | null)[]> {
  const names = [...new Set(eras.flatMap((targeting) => namesIn(attributesOf(targeting))))];
  const sessionIds = [...new Set(sessions.map(({ sessionId }) => sessionId))];
  const known = await eventStore.knownSessions({ propertyId, sessionIds, attributes: names });
  const contexts = new Map(
    known.map(({ attributes, ...session }) => {
      const values = JSON.parse(attributes) as unknown[];
      const own = Object.fromEntries(names.map((name, position) => [name, values[position]]));
      return [session.sessionId, sessionContext(own, session)];
    }),
  );
  const compiled = eras.map(({ flags, segments }) => compileFlags(flags, segments, { regex }));
  return sessions.map(({ sessionId, era }) => {
    const context = contexts.get(sessionId);
    return (context && compiled[era]?.evaluate(flagKey, context)?.value) ?? null;
  });
}
