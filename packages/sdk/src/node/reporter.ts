import type { SwitchyardOptions } from './options.ts';

/** Reports problems that cannot be returned by a call. */
export interface Reporter {
  /** A programming mistake: logged once, regardless of `debug`. */
  misuse(message: string): void;
  /** A background error. */
  problem(error: { code: string; message: string }): void;
}

export function createReporter(options: Pick<SwitchyardOptions, 'onError' | 'debug'> | undefined): Reporter {
  const logged = new Set<string>();
  const logOnce = (id: string, message: string) => {
    if (logged.has(id)) return;
    logged.add(id);
    console.warn(`[switchyard] ${message}`);
  };
  return {
    misuse: (message) => logOnce(message, message),
    problem({ code, message }) {
      if (options?.debug === true) logOnce(code, `${message} (${code})`);
      try {
        options?.onError?.({ code, message });
      } catch {
        // An error in the host's callback must not affect the SDK.
      }
    },
  };
}
