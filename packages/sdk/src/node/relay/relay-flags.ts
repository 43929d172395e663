import { type FlagContext, ofVisit } from '../flags/flag-context.ts';
import type { FlagEvaluations } from '../flags/flag-evaluations.ts';
import type { FlagEvaluation } from '../flags/flag-state.ts';
import { parsedValue } from '../flags/flag-value.ts';
import type { Reporter } from '../reporter.ts';
import { readRequest } from '../request-facts.ts';
import { isBot } from '../split-tests/is-bot.ts';
import { type Body, isObject, readBody } from './relay-body.ts';
import type { RelaySettings } from './relay-options.ts';
import { RelayProblem, unavailable } from './relay-problem.ts';
import type { RelayCall } from './relay-request.ts';
import { etagOf, jsonResponse, type RelayResponse, unlessUnchanged } from './relay-response.ts';

interface FlagRelayOptions {
  settings: RelaySettings;
  propertyId: string;
  respectPrivacySignals: boolean;
  evaluations: FlagEvaluations;
  reporter: Reporter;
}

export interface RelayFlags {
  /** `POST /v1/flags/evaluate` */
  evaluate(call: RelayCall): Promise<RelayResponse>;
  /** `POST /ofrep/v1/evaluate/flags`, or `…/flags/{key}` */
  ofrep(call: RelayCall, encodedKey: string | undefined): Promise<RelayResponse>;
}

/** The values of the listed flags. Pages see neither rules nor the keys of other flags. */
export function createRelayFlags(options: FlagRelayOptions): RelayFlags {
  const { settings, propertyId } = options;

  const evaluate = async (
    call: RelayCall,
    body: Body,
    keys: string[],
  ): Promise<[string, FlagEvaluation][]> => {
    if (keys.length === 0) return [];
    const context = await contextOf(call, body.context, options);
    const result = await options.evaluations.evaluateSeveral(context, keys);
    if (!result.success) throw unavailable();
    return keys.flatMap((key) => {
      const evaluation = Object.hasOwn(result.flags, key) ? result.flags[key] : undefined;
      return evaluation ? [[key, evaluation]] : [];
    });
  };

  return {
    async evaluate(call) {
      const body = readBody(call, propertyId);
      const { flagKeys } = body;
      const keys = Array.isArray(flagKeys)
        ? settings.flags.filter((key) => flagKeys.includes(key))
        : settings.flags;
      const entries = (await evaluate(call, body, keys)).map(
        // Not the rule. As JSON, missing members are left out.
        ([key, { value, format, reason, variant }]) =>
          [key, { value, type: typeof value, format, reason, variant }] as const,
      );
      return jsonResponse({ flags: Object.fromEntries(entries) });
    },
    async ofrep(call, encodedKey) {
      const body = readBody(call, propertyId);
      const key = encodedKey === undefined ? undefined : decode(encodedKey);
      const keys = key === undefined ? settings.flags : settings.flags.filter((each) => each === key);
      const evaluations = (await evaluate(call, body, keys)).map(([flagKey, evaluation]) => {
        const { reason, variant } = evaluation;
        return { key: flagKey, value: parsedValue(evaluation), reason, variant };
      });
      if (key === undefined) {
        const text = JSON.stringify({ flags: evaluations });
        return unlessUnchanged(jsonResponse(text), etagOf(text), call.header('if-none-match'));
      }
      const [evaluation] = evaluations;
      if (evaluation) return jsonResponse(evaluation);
      const failure = { key, errorCode: 'FLAG_NOT_FOUND', errorDetails: 'There is no such flag.' };
      return jsonResponse(failure, { status: 404 });
    },
  };
}

/** Attributes of the page that are allowed, the ids in its cookies, and what the server itself knows. */
async function contextOf(
  call: RelayCall,
  given: unknown,
  { settings, respectPrivacySignals, reporter }: FlagRelayOptions,
): Promise<FlagContext> {
  const context: Record<string, unknown> = {};
  const attributes = isObject(given) ? given : {};
  for (const name of settings.attributes) {
    if (Object.hasOwn(attributes, name)) context[name] = attributes[name];
  }
  const facts = readRequest(call.original);
  if (!facts.private || !respectPrivacySignals) {
    if (facts.visitorId !== undefined) context.visitorId = facts.visitorId;
    if (facts.sessionId !== undefined) context.sessionId = facts.sessionId;
  }
  try {
    const complete: FlagContext = { ...context, ...(await settings.context?.(call.original)) };
    const isRefused = facts.private && respectPrivacySignals;
    return ofVisit(complete, { isRefused, fromBot: isBot(facts.userAgent) });
  } catch (error) {
    reporter.problem({ code: 'relay_context_failed', message: `\`context\` of the relay failed: ${error}` });
    // Without what the server knows, visitors would get the values of somebody else.
    throw new RelayProblem('internal_error');
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
