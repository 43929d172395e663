import { attempt } from './attempt.ts';
import type { ApiResponse, ClientContext } from './client-context.ts';
import { createDelivery } from './delivery.ts';
import type { RelaySetup } from './relay-setup.ts';
import { type DeliveryResult, failure } from './result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from './schema.ts';
import { warn } from './warn.ts';

export interface PageGoalCall {
  /** In dollars. Required for revenue goals; count goals count one conversion per call. */
  amount?: number | undefined;
  /** At most 5 keys; keys and values have at most 256 characters. */
  metadata?: Record<string, string> | undefined;
}

export interface PageGoals<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Counts a conversion in the visitor's session, or adds an amount to a revenue goal. Never rejects.
   *
   * @example await switchyard.goals.increment('signup');
   */
  increment(goalId: KeyOf<Schema['goals']>, call?: PageGoalCall): Promise<DeliveryResult>;
}

export interface PageFeedbackCall<Option extends string = string> {
  /** One of the options of the feedback type. */
  option?: Option | undefined;
  /** Free text, if the feedback type has text input. */
  message?: string | undefined;
  /** At most 20 keys of up to 256 characters; values have at most 1,024 characters. */
  metadata?: Record<string, string> | undefined;
}

export interface PageFeedback<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Submits feedback of the visitor's session, with an `option`, a `message` or both. Never rejects.
   *
   * @example await switchyard.feedback.submit('nps', { option: 'good', message: 'Fast checkout' });
   */
  submit<Type extends KeyOf<Schema['feedbackTypes']>>(
    feedbackTypeId: Type,
    call: PageFeedbackCall<Extract<Schema['feedbackTypes'][Type], string>>,
  ): Promise<DeliveryResult>;
}

interface PageConversions {
  publicGoals: PageGoals;
  publicFeedback: PageFeedback;
  /** Sends what this page and earlier ones could not send; all at once if urgent. */
  sendConversions(isUrgent?: boolean): Promise<unknown>;
}

/** Goals and feedback through the relay. They are kept in storage until acknowledged, and counted once. */
export function createPageConversions(
  context: ClientContext,
  { relayUrl, propertyId, visitorId, onError }: RelaySetup,
): PageConversions {
  /** The last response to each call that somebody waits for, by idempotency key. */
  const responses = new Map<string, ApiResponse | undefined>();
  const delivery = createDelivery({
    ...context,
    // A queue of its own: events that a content blocker stops must not hold up conversions.
    propertyQuery: `${context.propertyQuery}:relay`,
    async sendRequest(path, body, id) {
      const response = await context.sendRequest(path, body, id, relayUrl);
      if (responses.has(id!)) responses.set(id!, response);
      return response;
    },
  });

  const warned = new Set<string>();
  /** Calls are often not awaited, and a misspelled goal would lose every conversion. */
  const refused = (code: string, message: string): DeliveryResult => {
    if (!warned.has(message)) warn(`${message} (${code})`);
    warned.add(message);
    const result = failure(code, message);
    attempt(() => onError?.(result.error));
    return result;
  };

  const send = async (path: string, payload: object): Promise<DeliveryResult> => {
    if (!visitorId()) return failure('no_consent', 'Nothing is sent without consent.');
    let id: string;
    try {
      id = delivery.enqueue(path, { propertyId, ...payload });
    } catch {
      return refused('invalid_argument', 'The arguments cannot be sent as JSON.');
    }
    responses.set(id, undefined);
    await delivery.sendBatches(true);
    const response = responses.get(id);
    responses.delete(id);
    const result = resultOf(response);
    if (result.success || result.queued) return result;
    return refused(result.error.code, result.error.message);
  };

  return {
    publicGoals: {
      async increment(goalId, call) {
        const { amount, metadata } = { ...call };
        // JSON turns NaN and Infinity into null.
        if (amount !== undefined && !Number.isFinite(amount)) {
          return refused('invalid_argument', `The amount of "${goalId}" must be a number, not ${amount}.`);
        }
        return send('/v1/goals/increment', { goalId, amount, metadata });
      },
    },
    publicFeedback: {
      submit: (feedbackTypeId, call) =>
        send('/v1/feedback/submit', {
          feedbackTypeId,
          option: call?.option,
          message: call?.message,
          metadata: call?.metadata,
        }),
    },
    sendConversions: delivery.sendBatches,
  };
}

function resultOf(response: ApiResponse | undefined): DeliveryResult {
  if (!response || response.retryDelayMs) {
    return { ...failure('network_error', 'It will be sent later.'), queued: true };
  }
  const { success, error } = (response.body || {}) as {
    success?: unknown;
    error?: { code: string; message: string };
  };
  if (success === true) return { success };
  if (error) return failure(error.code, error.message);
  return failure('unexpected_response', 'The relay did not confirm it. Check `relayUrl`.');
}
