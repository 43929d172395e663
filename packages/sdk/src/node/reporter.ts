import type { SwitchyardOptions } from './options.ts';

interface ReportedError {
  code: string;
  message: string;
}

/** Reports what cannot be returned by a call. */
export interface Reporter {
  /** A programming mistake: logged once, regardless of `debug`. */
  misuse(message: string): void;
  /** An error that nobody may look at; logged once if events are lost or may be, and with `debug`. */
  problem(error: ReportedError): void;
  /** Logs a refused key or a wrong property once, regardless of `debug`; ignores all other errors. */
  refusal(error: ReportedError): void;
  /** Whether `narrate` logs anything; check it before building a long message. */
  readonly isNarrating: boolean;
  /** Explains a decision or a delivery, with `debug: true`. Never pass a key. */
  narrate(message: string): void;
}

const REFUSALS = new Set(['api_key_missing', 'api_key_invalid', 'wrong_key_kind', 'wrong_property']);
/** Events were dropped, or would not survive a crash. */
const LOSSES = new Set(['expired', 'queue_full', 'spool_damaged', 'spool_failed', 'spool_full']);
/** The call is wrong, and so is every further one: usually a misspelled name. */
const MISTAKES = new Set([
  'amount_not_positive',
  'amount_required',
  'environment_not_found',
  'feedback_empty',
  'feedback_type_not_found',
  'goal_not_found',
  'invalid_argument',
  'invalid_request',
  'message_not_allowed',
  'option_not_allowed',
]);
/** Keys of flags and tests may come from requests, so there could be any number. */
const MAX_LOGGED = 200;

/** The service refuses the key, whatever is sent with it. */
export const isKeyRefusal = ({ code }: { code: string }): boolean => REFUSALS.has(code);

/** The call itself is wrong. */
export const isMistake = ({ code }: { code: string }): boolean => MISTAKES.has(code);

export function createReporter(options: Pick<SwitchyardOptions, 'onError' | 'debug'> | undefined): Reporter {
  const logged = new Set<string>();
  const isNarrating = options?.debug === true;
  const logOnce = (id: string, message: string) => {
    if (logged.has(id) || logged.size >= MAX_LOGGED) return;
    logged.add(id);
    console.warn(`[switchyard] ${message}`);
  };
  return {
    misuse: (message) => logOnce(message, message),
    problem({ code, message }) {
      if (isMistake({ code })) logOnce(message, `${message} (${code})`);
      else if (LOSSES.has(code) || (isNarrating && !REFUSALS.has(code)))
        logOnce(code, `${message} (${code})`);
      try {
        options?.onError?.({ code, message });
      } catch {
        // An error in the host's callback must not affect the SDK.
      }
    },
    refusal({ code, message }) {
      if (isKeyRefusal({ code })) logOnce(code, `The service refuses the key: ${message} (${code})`);
    },
    isNarrating,
    narrate(message) {
      if (isNarrating) console.debug(`[switchyard] ${message}`);
    },
  };
}
