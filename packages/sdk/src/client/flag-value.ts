import { attempt } from './attempt.ts';

/** A flag as the relay returns it. */
export interface FlagResponse {
  value?: unknown;
  /** What the value is a text of: `number` or `json`. */
  format?: string;
  /** For the debugging tools. */
  reason?: string;
  /** For the debugging tools. */
  variant?: string;
}

const parsedTexts = new Map<unknown, unknown>();

/** The same object for the same text, also when it is fetched again: React renders once more for another object. */
function parse(text: unknown): unknown {
  if (!parsedTexts.has(text)) {
    const freeze = (_name: string, member: unknown) => Object.freeze(member);
    parsedTexts.set(
      text,
      attempt(() => JSON.parse(text as string, freeze)),
    );
  }
  return parsedTexts.get(text);
}

/** The value for such a fallback; `undefined` if there is none. */
export function flagValue(flag: FlagResponse | undefined, fallback: unknown): unknown {
  const { value, format } = flag || {};
  const type = typeof fallback;
  const parsed = format ? parse(value) : value;
  if (fallback == null) return parsed;
  if (type === typeof value) return value;
  const isReadable = type === 'number' ? typeof parsed === type : type === 'object' && format === 'json';
  return isReadable ? parsed : undefined;
}
