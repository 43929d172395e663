import { type FlagResponse, flagValue } from '../client/flag-value.ts';
import type { FlagSnapshot } from '../client/page-flags.ts';
import type { ClientState } from './client-state.ts';

const MAX_LENGTH = 100;

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
    const values = Object.entries(flags).map(([key, flag]) => `${key} = ${flagValueWords(flag?.value)}`);
    this.#say(`flags ${source}: ${values.join(', ') || 'the relay lists none'}`);
  }

  onRead(key: string, fallback: unknown, value: unknown): void {
    const { flags, warnings } = this.#state;
    const { reason, warning } = this.#explain(key, fallback);
    if (warning) warnings.add(`Flag ${key}: ${warning}.`);
    flags.set(key, { key, value, reason });
    const line = `flag ${key}: ${flagValueWords(value)}, ${reason}`;
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
    if (flagValue(flag, fallback) === undefined) {
      const warning = mismatchWords(flag, fallback);
      return { reason: isFallback(`it ${warning}`), warning };
    }
    return { reason: flagReasonWords(flag) };
  }
}

function mismatchWords({ value, format = typeof value }: FlagResponse, fallback: unknown): string {
  const type = typeof fallback;
  const own = format === 'json' ? 'JSON' : `a ${format}`;
  const words = `is ${own}, but the fallback is ${type === 'object' ? 'an object' : `a ${type}`}`;
  if (format !== 'string' || (type !== 'object' && type !== 'number')) return words;
  return `${words}; to be read like this, it needs the format ${type === 'object' ? 'json' : 'number'}`;
}

export function flagReasonWords({ reason = 'no reason given', variant }: FlagResponse): string {
  const words = REASONS[reason] ?? reason;
  return variant === undefined ? words : `${words}: variant ${variant}`;
}

/** Objects as JSON; long texts are cut. */
export function flagValueWords(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
