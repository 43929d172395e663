import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import type { Feedback, Goals } from './conversions.ts';
import type { FlagContext, Flags, UntypedFlags } from './flags/flags.ts';
import { readRequest } from './request-facts.ts';

/** The calls of one request, with its session and visitor filled in where the call names none. */
export interface RequestClient<Schema extends SwitchyardSchema = AnySchema> {
  /** From the cookie that the browser part sets; `undefined` when there is none. */
  readonly sessionId: string | undefined;
  readonly visitorId: string | undefined;
  readonly flags: Pick<Flags<Schema>, 'boolean' | 'string' | 'details' | 'all' | 'resolve' | 'evaluate'>;
  readonly goals: Goals<Schema>;
  readonly feedback: Feedback<Schema>;
}

interface Parts {
  flags: UntypedFlags;
  goals: Goals;
  feedback: Feedback;
}

export function bindRequest(request: unknown, { flags, goals, feedback }: Parts): RequestClient {
  const { sessionId, visitorId } = readRequest(request);
  const ids: FlagContext = {
    ...(visitorId === undefined ? {} : { visitorId }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  const whom = (context?: FlagContext): FlagContext => ({ ...ids, ...context });
  const inSession = <Call extends { sessionId?: string | undefined }>(call?: Call): Call => {
    const named = call?.sessionId ?? sessionId;
    return { ...call, ...(named === undefined ? {} : { sessionId: named }) } as Call;
  };
  const bound: UntypedFlags = {
    ...flags,
    boolean: (key, fallback, context) => flags.boolean(key, fallback, whom(context)),
    string: (key, fallback, context) => flags.string(key, fallback, whom(context)),
    details: (key, fallback, context) => flags.details(key, fallback, whom(context)),
    all: (context) => flags.all(whom(context)),
    resolve: (key, fallback, context) => flags.resolve(key, fallback, whom(context)),
    evaluate: (context, keys) => flags.evaluate(whom(context), keys),
  };
  return {
    sessionId,
    visitorId,
    flags: bound as unknown as Flags,
    goals: {
      increment: (goalId, call) => goals.increment(goalId, inSession(call)),
      decrement: (goalId, call) => goals.decrement(goalId, inSession(call)),
    },
    feedback: { submit: (feedbackTypeId, call) => feedback.submit(feedbackTypeId, inSession(call)) },
  };
}
