import { newId } from '../client/identity.ts';
import { failure, type Result } from '../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import type { ApiClient } from './api-client.ts';
import { holdExit } from './exit-hold.ts';
import type { Settings } from './options.ts';

export interface GoalCall {
  /** In dollars. Required for revenue goals; count goals count one conversion per call. */
  amount?: number | undefined;
  /** The session that the conversion belongs to; without it, it counts in totals but in no split test. */
  sessionId?: string | undefined;
  /** At most 5 keys; keys and values have at most 256 characters. */
  metadata?: Record<string, string> | undefined;
  /** Calls with the same key and content count once within 24 hours. Default: a generated key. */
  idempotencyKey?: string | undefined;
}

export interface Goals<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Counts a conversion, or adds an amount to a revenue goal. Success means that it is stored.
   *
   * @example await switchyard.goals.increment('revenue', { amount: 49.9, sessionId, idempotencyKey: `paid-${order.id}` });
   */
  increment(goalId: KeyOf<Schema['goals']>, call?: GoalCall): Promise<Result>;
  /** Reverses a conversion or an amount, e.g. for refunds and cancellations. `amount` is positive. */
  decrement(goalId: KeyOf<Schema['goals']>, call?: GoalCall): Promise<Result>;
}

export interface FeedbackCall<Option extends string = string> {
  /** One of the options of the feedback type. */
  option?: Option | undefined;
  /** Free text, if the feedback type has text input. */
  message?: string | undefined;
  sessionId?: string | undefined;
  /** At most 20 keys of up to 256 characters; values have at most 1,024 characters. */
  metadata?: Record<string, string> | undefined;
  /** Calls with the same key and content count once within 24 hours. Default: a generated key. */
  idempotencyKey?: string | undefined;
}

export interface Feedback<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Submits feedback with an `option`, a `message` or both. Success means that it is stored.
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
  /** Resolves when all running calls have ended. */
  settled(): Promise<unknown>;
}

/** Goals and feedback: sent until the service responds or the timeout is over, and counted once. */
export function createConversions(settings: Settings, api: ApiClient): Conversions {
  const running = new Set<Promise<Result>>();

  const send = async (path: string, body: object, key: unknown): Promise<Result> => {
    if (key !== undefined && !(typeof key === 'string' && IDEMPOTENCY_KEY.test(key))) {
      return failure('invalid_argument', '`idempotencyKey` must be 1 to 255 printable ASCII characters.');
    }
    const result = await api.call({
      method: 'POST',
      path,
      key: settings.secretApiKey,
      body: { propertyId: settings.propertyId, ...body },
      headers: { 'idempotency-key': (key as string | undefined) ?? newId() },
      timeoutMs: settings.timeoutMs,
      retry: true,
    });
    if (!result.success) return failure(result.error.code, result.error.message);
    // Another server at this URL may respond with 200 too, but has stored nothing.
    if ((result.data as { success?: unknown }).success === true) return { success: true };
    return failure('unexpected_response', 'The server did not confirm that it is stored. Check `apiUrl`.');
  };

  /** Keeps the process alive until the call has ended, even if nobody awaits it. */
  const keepAlive = (result: Promise<Result>): Promise<Result> => {
    running.add(result);
    const release = holdExit(() => result);
    return result.finally(() => {
      running.delete(result);
      release();
    });
  };

  const goal = (path: string) => (goalId: string, call?: GoalCall) => {
    const { amount, sessionId, metadata, idempotencyKey } = call ?? {};
    if (!isId(goalId)) return invalid('`goalId` must be the slug of a goal.');
    // JSON turns NaN and Infinity into null, as if there were no amount.
    if (amount !== undefined && !Number.isFinite(amount)) return invalid('`amount` must be a number.');
    return keepAlive(send(path, { goalId, amount, sessionId, metadata }, idempotencyKey));
  };

  return {
    goals: { increment: goal('/v1/goals/increment'), decrement: goal('/v1/goals/decrement') },
    feedback: {
      submit(feedbackTypeId, call) {
        const { option, message, sessionId, metadata, idempotencyKey } = call ?? {};
        if (!isId(feedbackTypeId)) return invalid('`feedbackTypeId` must be the slug of a feedback type.');
        const body = { feedbackTypeId, option, message, sessionId, metadata };
        return keepAlive(send('/v1/feedback/submit', body, idempotencyKey));
      },
    },
    settled: () => Promise.allSettled(running),
  };
}

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '';
const invalid = (message: string): Promise<Result> => Promise.resolve(failure('invalid_argument', message));
