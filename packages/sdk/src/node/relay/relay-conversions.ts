import { createHash } from 'node:crypto';
import { unknownName } from '@switchyard/core/evaluation/closest-name';
import type { DeliveryResult } from '../../client/result.ts';
import type { Feedback, Goals } from '../conversions.ts';
import { isKeyRefusal, type Reporter } from '../reporter.ts';
import { readRequest } from '../request-facts.ts';
import { FieldReader, readBody } from './relay-body.ts';
import type { RelaySettings } from './relay-options.ts';
import { isProblemCode, RelayProblem, unavailable } from './relay-problem.ts';
import type { RelayCall } from './relay-request.ts';
import { jsonResponse, type RelayResponse } from './relay-response.ts';

const MAX_ID = 256;
const MAX_MESSAGE = 5000;
const GOAL_METADATA = { keys: 5, value: 256 };
const FEEDBACK_METADATA = { keys: 20, value: 1024 };

interface ConversionRelayOptions {
  settings: RelaySettings;
  propertyId: string;
  respectPrivacySignals: boolean;
  goals: Goals;
  feedback: Feedback;
  reporter: Reporter;
}

export interface RelayConversions {
  /** `POST /v1/goals/increment` */
  increment(call: RelayCall): Promise<RelayResponse>;
  /** `POST /v1/feedback/submit` */
  submit(call: RelayCall): Promise<RelayResponse>;
}

/** Goals and feedback of pages, in the session of the request's cookies. */
export function createRelayConversions(options: ConversionRelayOptions): RelayConversions {
  const { settings, propertyId, respectPrivacySignals, goals, feedback, reporter } = options;
  return {
    async increment(call) {
      const fields = new FieldReader(readBody(call, propertyId));
      const goalId = fields.text('goalId', MAX_ID);
      const amount = fields.amount('amount');
      const metadata = fields.metadata('metadata', GOAL_METADATA);
      fields.finish();
      if (goalId === undefined || !settings.goals.has(goalId)) {
        throw new RelayProblem('goal_not_found', { message: notListed('goal', goalId, settings.goals) });
      }
      const result = await goals.increment(goalId, {
        amount,
        metadata,
        ...visitOf(call, respectPrivacySignals),
      });
      return respond(result, reporter);
    },
    async submit(call) {
      const fields = new FieldReader(readBody(call, propertyId));
      const feedbackTypeId = fields.text('feedbackTypeId', MAX_ID);
      const option = fields.text('option', MAX_ID);
      const message = fields.text('message', MAX_MESSAGE);
      const metadata = fields.metadata('metadata', FEEDBACK_METADATA);
      fields.finish();
      if (feedbackTypeId === undefined || !settings.feedback.has(feedbackTypeId)) {
        throw new RelayProblem('feedback_type_not_found', {
          message: notListed('feedback type', feedbackTypeId, settings.feedback),
        });
      }
      if (!option && !message) throw new RelayProblem('feedback_empty');
      const entry = { option, message, metadata, ...visitOf(call, respectPrivacySignals) };
      return respond(await feedback.submit(feedbackTypeId, entry), reporter);
    },
  };
}

const notListed = (what: string, id: string | undefined, known: ReadonlySet<string>): string =>
  `The relay lists no ${what}${unknownName(id ?? '', [...known])}`;

/** The session, and the idempotency key of the page: made unique, so that it cannot equal one of the server's own keys. */
function visitOf(
  call: RelayCall,
  respectPrivacySignals: boolean,
): { sessionId?: string; idempotencyKey?: string } {
  const { sessionId, visitorId, private: hasSignal } = readRequest(call.original);
  const isPrivate = hasSignal && respectPrivacySignals;
  const key = call.header('idempotency-key');
  if (key !== undefined && key.length > 255) {
    throw new RelayProblem('invalid_request', {
      message: '`Idempotency-Key` must have at most 255 characters.',
    });
  }
  // Not the session, which may end between two attempts.
  const scoped = JSON.stringify([isPrivate ? '' : visitorId, key]);
  return {
    ...(isPrivate || sessionId === undefined ? {} : { sessionId }),
    ...(key && { idempotencyKey: `relay-${createHash('sha256').update(scoped).digest('base64url')}` }),
  };
}

/**
 * Queued counts as accepted: the client delivers it once the service is back. But a refused key is usually replaced by
 * a restart of this process, so the page keeps it too; it has one idempotency key and counts once.
 */
function respond(result: DeliveryResult, reporter: Reporter): RelayResponse {
  if (result.success || (result.queued && !isKeyRefusal(result.error)))
    return jsonResponse({ success: true });
  const { code, message } = result.error;
  if (code === 'rate_limited') throw new RelayProblem(code, { headers: { 'retry-after': '1' } });
  if (isProblemCode(code) && code !== 'wrong_property') throw new RelayProblem(code, { message });
  // A refused key or a full queue: nothing that the page could change.
  reporter.problem({ code, message });
  throw unavailable();
}
