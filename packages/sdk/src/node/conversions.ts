import { newId } from '../client/identity.ts';
import { failure, type Result } from '../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import type { ApiClient } from './api-client.ts';
import { holdExit } from './exit-hold.ts';
import type { Settings } from './options.ts';

export interface GoalCall {
  /** Dollars; revenue goals need it, count goals count one conversion a call. */
  amount?: number | undefined;
  /** The session it is attributed to; without it, it counts in totals and in no split test. */
  sessionId?: string | undefined;
  /** At most 5 keys; keys and values of at most 256 characters. */
  metadata?: Record<string, string> | undefined;
  /** Calls with the same key and content count once, for 24 hours; generated unless given. */
  idempotencyKey?: string | undefined;
}

export interface Goals<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Counts a conversion, or adds an amount to a revenue goal. A success means that it is stored.
   *
   * @example await switchyard.goals.increment('revenue', { amount: 49.9, sessionId, idempotencyKey: `paid-${order.id}` });
   */
  increment(goalId: KeyOf<Schema['goals']>, call?: GoalCall): Promise<Result>;
  /** Takes a conversion or an amount back: refunds, cancellations. `amount` is positive. */
  decrement(goalId: KeyOf<Schema['goals']>, call?: GoalCall): Promise<Result>;
}

export interface FeedbackCall<Option extends string = string> {
  /** One of the options of the feedback type. */
  option?: Option | undefined;
  /** Free text, where the feedback type has text input. */
  message?: string | undefined;
  sessionId?: string | undefined;
  /** At most 20 keys of 256 characters; values of at most 1,024. */
  metadata?: Record<string, string> | undefined;
  /** Calls with the same key and content count once, for 24 hours; generated unless given. */
  idempotencyKey?: string | undefined;
}

export interface Feedback<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Records an entry; at least one of `option` and `message` is needed. A success means that it is stored.
   *
   * @example await switchyard.feedback.submit('nps', { option: 'good', message: 'Fast checkout', sessionId });
   */
  submit<Type extends KeyOf<Schema['feedbackTypes']>>(
    feedbackTypeId: Type,
    call: FeedbackCall<Extract<Schema['feedbackTypes'][Type], string>>,
  ): Promise<Result>;
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export interface Conversions {
  goals: Goals;
  feedback: Feedback;
  /** Resolves when no call is under way any more. */
  settled(): Promise<unknown>;
}

/** The writes whose success matters to the caller; each is sent until answered, in time, and counts once. */
export function createConversions(settings: Settings, api: ApiClient): Conversions {
  const running = new Set<Promise<Result>>();

  const send = async (path: string, body: object, key: unknown): Promise<Result> => {
    if (key !== undefined && !(typeof key === 'string' && IDEMPOTENCY_KEY.test(key))) {
      return failure('invalid_argument', '`idempotencyKey` must be 1 to 255 printable ASCII characters.');
    }
    const answer = await api.call({
      method: 'POST',
      path,
      key: settings.secretApiKey,
      body: { propertyId: settings.propertyId, ...body },
      headers: { 'idempotency-key': (key as string | undefined) ?? newId() },
      timeoutMs: settings.timeoutMs,
      retry: true,
    });
    if (!answer.success) return failure(answer.error.code, answer.error.message);
    // Whatever else stands at the address may answer 200, too, but has stored nothing.
    if ((answer.data as { success?: unknown }).success === true) return { success: true };
    return failure('unexpected_answer', 'The service did not say that it is stored: is `apiUrl` right?');
  };

  /** Programs that do not wait for the result end after it all the same. */
  const hold = (result: Promise<Result>): Promise<Result> => {
    running.add(result);
    const release = holdExit(() => result);
    return result.finally(() => {
      running.delete(result);
      release();
    });
  };

  const goal = (path: string) => (goalId: string, call?: GoalCall) => {
    const { amount, sessionId, metadata, idempotencyKey } = call ?? {};
    if (!isId(goalId)) return wrong('`goalId` must be the slug of a goal.');
    // JSON has no NaN and no Infinity: they would arrive as if no amount had been given.
    if (amount !== undefined && !Number.isFinite(amount)) return wrong('`amount` must be a number.');
    return hold(send(path, { goalId, amount, sessionId, metadata }, idempotencyKey));
  };

  return {
    goals: { increment: goal('/v1/goals/increment'), decrement: goal('/v1/goals/decrement') },
    feedback: {
      submit(feedbackTypeId, call) {
        const { option, message, sessionId, metadata, idempotencyKey } = call ?? {};
        if (!isId(feedbackTypeId)) return wrong('`feedbackTypeId` must be the slug of a feedback type.');
        const body = { feedbackTypeId, option, message, sessionId, metadata };
        return hold(send('/v1/feedback/submit', body, idempotencyKey));
      },
    },
    settled: () => Promise.allSettled(running),
  };
}

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '';
const wrong = (message: string): Promise<Result> => Promise.resolve(failure('invalid_argument', message));
