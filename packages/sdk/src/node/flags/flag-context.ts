/**
 * Who a flag is evaluated for. Rules can use any attribute. Percentage rollouts use the first of `targetingKey`,
 * `userId`, `email`, `visitorId` and `sessionId`. Only remote evaluation resolves a `sessionId` to its visitor and user.
 */
export interface FlagContext {
  readonly targetingKey?: string | undefined;
  readonly userId?: string | undefined;
  readonly email?: string | undefined;
  readonly visitorId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly [attribute: string]: unknown;
}

const EMPTY_CONTEXT: FlagContext = Object.freeze({});

/** Untyped programs may pass anything. */
export const contextOf = (context: FlagContext | undefined): FlagContext =>
  typeof context === 'object' && context !== null ? context : EMPTY_CONTEXT;

/** What is known of the request that a context was made for. */
export interface ContextVisit {
  /** Without consent, no evaluation is recorded. */
  readonly isRefused: boolean;
  readonly fromBot: boolean;
}

const NO_REQUEST: ContextVisit = Object.freeze({ isRefused: false, fromBot: false });

/** Apart from the contexts, whose members are attributes. */
const visits = new WeakMap<FlagContext, ContextVisit>();

export function ofVisit(context: FlagContext, visit: ContextVisit): FlagContext {
  visits.set(context, visit);
  return context;
}

export const visitOf = (context: FlagContext): ContextVisit => visits.get(context) ?? NO_REQUEST;
