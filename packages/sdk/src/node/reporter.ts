import type { SwitchyardOptions } from './options.ts';

/** Tells the host of problems that no call can answer with. */
export interface Reporter {
  /** Something in the program is to be mended: said once on the console, whatever the settings. */
  misuse(message: string): void;
  /** Something went wrong in the background. */
  problem(error: { code: string; message: string }): void;
}

export function createReporter(options: Pick<SwitchyardOptions, 'onError' | 'debug'> | undefined): Reporter {
  const said = new Set<string>();
  const sayOnce = (about: string, message: string) => {
    if (said.has(about)) return;
    said.add(about);
    console.warn(`[switchyard] ${message}`);
  };
  return {
    misuse: (message) => sayOnce(message, message),
    problem({ code, message }) {
      if (options?.debug === true) sayOnce(code, `${message} (${code})`);
      try {
        options?.onError?.({ code, message });
      } catch {
        // What the host's own listener does wrong must not stop ours.
      }
    },
  };
}
