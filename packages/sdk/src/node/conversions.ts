import { type DeliveryResult, failure } from '../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import { messageOf } from './api-client.ts';
import { createDelivery, type DeliveryKind } from './delivery/delivery.ts';
import type { DeliveryQueue } from './delivery/delivery-queue.ts';
import { positive, type Settings } from './options.ts';
import { isMistake, type Reporter } from './reporter.ts';

interface ConversionCall {
  /** Calls with the same key and content count once within 24 hours. Default: a generated key. */
  idempotencyKey?: string | undefined;
  /** How long this call waits for the service before it continues in the background. Default: that of the client. */
  timeoutMs?: number | undefined;
}

export interface GoalCall extends ConversionCall {
  /** In dollars. Required for revenue goals; count goals count one conversion per call. */
  amount?: number | undefined;
  /** The session that the conversion belongs to; without it, it counts in totals but in no split test. */
  sessionId?: string | undefined;
  /** At most 5 keys; keys and values have at most 256 characters. */
  metadata?: Record<string, string> | undefined;
}

export interface Goals<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Counts a conversion, or adds an amount to a revenue goal. Success means that it is stored; `queued`, that the
   * service did not respond in time and delivery continues in the background.
   *
   * @example await switchyard.goals.increment('revenue', { amount: 49.9, sessionId, idempotencyKey: `paid-${order.id}` });
   */
  increment(goalId: KeyOf<Schema['goals']>, call?: GoalCall): Promise<DeliveryResult>;
  /** Reverses a conversion or an amount, e.g. for refunds and cancellations. `amount` is positive. */
  decrement(goalId: KeyOf<Schema['goals']>, call?: GoalCall): Promise<DeliveryResult>;
}

export interface FeedbackCall<Option extends string = string> extends ConversionCall {
  /** One of the options of the feedback type. */
  option?: Option | undefined;
  /** Free text, if the feedback type has text input. */
  message?: string | undefined;
  sessionId?: string | undefined;
  /** At most 20 keys of up to 256 characters; values have at most 1,024 characters. */
  metadata?: Record<string, string> | undefined;
}

export interface Feedback<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Submits feedback with an `option`, a `message` or both. The result is that of a goal.
   *
   * @example await switchyard.feedback.submit('nps', { option: 'good', message: 'Fast checkout', sessionId });
   */
  submit<Type extends KeyOf<Schema['feedbackTypes']>>(
    feedbackTypeId: Type,
    call: FeedbackCall<Extract<Schema['feedbackTypes'][Type], string>>,
  ): Promise<DeliveryResult>;
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

interface Conversions {
  goals: Goals;
  feedback: Feedback;
}

/** Goals and feedback: sent until the service responds, and counted once. `isRelayed`: those of pages. */
export function createConversions(
  settings: Settings,
  queue: DeliveryQueue,
  reporter: Reporter,
  { isRelayed = false } = {},
): Conversions {
  /** Calls are often not awaited, and a misspelled goal would lose every sale. */
  const reportMistake = (result: DeliveryResult): DeliveryResult => {
    if (!result.success && !result.queued && isMistake(result.error)) reporter.problem(result.error);
    return result;
  };
  const invalid = async (message: string) => reportMistake(failure('invalid_argument', message));

  const send = async (kind: DeliveryKind, fields: object, call: ConversionCall): Promise<DeliveryResult> => {
    const { idempotencyKey, timeoutMs } = call;
    if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
      return invalid('`idempotencyKey` must be 1 to 255 printable ASCII characters.');
    }
    let body: string;
    try {
      body = JSON.stringify({ propertyId: settings.propertyId, ...fields });
    } catch (error) {
      return invalid(`The arguments cannot be sent as JSON: ${messageOf(error)}`);
    }
    const delivery = createDelivery({ kind, body, idempotencyKey, isRelayed });
    return reportMistake(await queue.send(delivery, positive(timeoutMs, settings.timeoutMs)));
  };

  const goal = (kind: 'increment' | 'decrement') => (goalId: string, call?: GoalCall) => {
    const { amount, sessionId, metadata } = call ?? {};
    if (!isId(goalId)) return invalid('`goalId` must be the slug of a goal.');
    // JSON turns NaN and Infinity into null, as if there were no amount.
    if (amount !== undefined && !Number.isFinite(amount))
      return invalid(`The \`amount\` of "${goalId}" must be a number, not ${amount}.`);
    return send(kind, { goalId, amount, sessionId, metadata }, call ?? {});
  };

  return {
    goals: { increment: goal('increment'), decrement: goal('decrement') },
    feedback: {
      submit(feedbackTypeId, call) {
        const { option, message, sessionId, metadata } = call ?? {};
        if (!isId(feedbackTypeId)) return invalid('`feedbackTypeId` must be the slug of a feedback type.');
        return send('feedback', { feedbackTypeId, option, message, sessionId, metadata }, call ?? {});
      },
    },
  };
}

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isIdempotencyKey = (value: unknown): boolean =>
  typeof value === 'string' && IDEMPOTENCY_KEY.test(value);
