import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import type { Feedback, Goals } from './conversions.ts';
import { type FlagContext, ofVisit } from './flags/flag-context.ts';
import type { Flags, UntypedFlags } from './flags/flags.ts';
import type { Settings } from './options.ts';
import { readRequest } from './request-facts.ts';
import { isBot } from './split-tests/is-bot.ts';
import { refusalOf } from './split-tests/request-split-tests.ts';

export interface RequestOptions {
  /**
   * `false`: evaluations of measured flags are not recorded. The same holds for requests with Global Privacy Control or
   * Do Not Track; with `respectPrivacySignals: false`, only `true` allows them.
   */
  consent?: boolean | undefined;
}

/** The calls for one request. Its session and visitor are the default of every call. */
export interface RequestClient<Schema extends SwitchyardSchema = AnySchema> {
  /** From the cookie that the browser client sets; `undefined` if there is none. */
  readonly sessionId: string | undefined;
  readonly visitorId: string | undefined;
  readonly flags: Pick<
    Flags<Schema>,
    'boolean' | 'string' | 'number' | 'json' | 'details' | 'all' | 'resolve' | 'evaluate'
  >;
  readonly goals: Goals<Schema>;
  readonly feedback: Feedback<Schema>;
}

interface BoundClients {
  flags: UntypedFlags;
  goals: Goals;
  feedback: Feedback;
  settings: Pick<Settings, 'respectPrivacySignals'>;
}

export function bindRequest(
  request: unknown,
  options: RequestOptions | undefined,
  { flags, goals, feedback, settings }: BoundClients,
): RequestClient {
  const facts = readRequest(request);
  const { sessionId, visitorId } = facts;
  const visit = {
    isRefused: refusalOf(facts, options?.consent, settings) !== undefined,
    fromBot: isBot(facts.userAgent),
  };
  const ids: FlagContext = {
    ...(visitorId === undefined ? {} : { visitorId }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  const withIds = (context?: FlagContext): FlagContext => ofVisit({ ...ids, ...context }, visit);
  const inSession = <Call extends { sessionId?: string | undefined }>(call?: Call): Call => {
    const id = call?.sessionId ?? sessionId;
    return { ...call, ...(id === undefined ? {} : { sessionId: id }) } as Call;
  };
  const bound: UntypedFlags = {
    ...flags,
    boolean: (key, fallback, context) => flags.boolean(key, fallback, withIds(context)),
    string: (key, fallback, context) => flags.string(key, fallback, withIds(context)),
    number: (key, fallback, context) => flags.number(key, fallback, withIds(context)),
    json: (key, fallback, context) => flags.json(key, fallback, withIds(context)),
    details: (key, fallback, context) => flags.details(key, fallback, withIds(context)),
    all: (context) => flags.all(withIds(context)),
    resolve: (key, fallback, context) => flags.resolve(key, fallback, withIds(context)),
    evaluate: (context, keys) => flags.evaluate(withIds(context), keys),
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
