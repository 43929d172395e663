import type { FlagSnapshot } from '../client/page-flags.ts';
import type { ClientState } from './client-state.ts';

/** The relay tells pages the reason of a value, but no rules. */
const REASONS: Record<string, string> = {
  TARGETING_MATCH: 'a rule matches',
  SPLIT: 'a percentage of a rule decided',
  STATIC: 'the value of the environment, which has no rules',
  DEFAULT: 'no rule matches, or the environment has no configuration of the flag',
  DISABLED: 'the flag is disabled in the environment',
};

/** Explains the flags that a page reads through the relay. */
export class FlagObserver {
  readonly #state: ClientState;
  readonly #say: (line: string) => void;
  /** What was said last about each flag: pages read flags again and again. */
  readonly #said = new Map<string, string>();

  constructor(state: ClientState, say: (line: string) => void) {
    this.#state = state;
    this.#say = say;
  }

  /** New values, from the cache or from the relay. */
  onSnapshot(snapshot: FlagSnapshot | null | undefined, source: string): void {
    const flags = snapshot?.flags;
    if (!flags) return;
    this.#state.listedFlags = flags;
    const values = Object.entries(flags).map(([key, flag]) => `${key} = ${flag?.value}`);
    this.#say(`flags ${source}: ${values.join(', ') || 'the relay lists none'}`);
  }

  onRead(key: string, fallback: unknown, value: unknown): void {
    const { flags, warnings } = this.#state;
    const { reason, warning } = this.#explain(key, fallback);
    if (warning) warnings.add(`Flag ${key}: ${warning}.`);
    flags.set(key, { key, value, reason });
    const line = `flag ${key}: ${value}, ${reason}`;
    if (this.#said.get(key) === line) return;
    this.#said.set(key, line);
    this.#say(line);
  }

  #explain(key: string, fallback: unknown): { reason: string; warning?: string } {
    const { listedFlags, consent } = this.#state;
    const isFallback = (why: string) => `the fallback, because ${why}`;
    if (!consent) return { reason: isFallback('there is no consent') };
    if (!listedFlags) return { reason: isFallback('the flags are not loaded yet') };
    const flag = Object.hasOwn(listedFlags, key) ? listedFlags[key] : undefined;
    if (!flag) {
      const warning = 'does not exist, or the relay does not list it';
      return { reason: isFallback(`it ${warning}`), warning };
    }
    const type = typeof flag.value;
    if (fallback != null && type !== typeof fallback) {
      const warning = `is a ${type}, but the fallback is a ${typeof fallback}`;
      return { reason: isFallback(`it ${warning}`), warning };
    }
    return { reason: flagReasonWords(flag.reason) };
  }
}

export const flagReasonWords = (reason: string | undefined): string =>
  REASONS[reason ?? ''] ?? reason ?? 'no reason given';
