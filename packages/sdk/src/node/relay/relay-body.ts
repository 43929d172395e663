import { type FieldError, RelayProblem } from './relay-problem.ts';
import type { RelayCall, RelayRequest } from './relay-request.ts';

export type Body = Readonly<Record<string, unknown>>;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The text of a JSON body. Pages of other sites cannot send this content type without asking, which is never allowed. */
export async function readJsonText(request: RelayRequest, maxBytes: number): Promise<string> {
  if (!JSON_TYPE.test(request.header('content-type') ?? '')) throw new RelayProblem('unsupported_media_type');
  return request.readText(maxBytes);
}

/** The object in the body of a request for this property. */
export function readBody({ text }: RelayCall, propertyId: string): Body {
  const body = parseObject(text || '{}');
  if (body.propertyId !== undefined && body.propertyId !== propertyId) {
    throw new RelayProblem('wrong_property');
  }
  return body;
}

function parseObject(text: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RelayProblem('invalid_json');
  }
  if (isObject(value)) return value;
  throw new RelayProblem('invalid_json');
}

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the fields of a body; the problem lists all that are invalid. */
export class FieldReader {
  readonly #body: Body;
  readonly #errors: FieldError[] = [];

  constructor(body: Body) {
    this.#body = body;
  }

  text(name: string, maxLength: number): string | undefined {
    return this.#read(
      name,
      (value): value is string => typeof value === 'string' && value.length <= maxLength,
      `must be a string of at most ${maxLength} characters`,
    );
  }

  amount(name: string): number | undefined {
    return this.#read(
      name,
      (value): value is number => Number.isFinite(value) && (value as number) >= 0,
      'must be a number that is at least 0',
    );
  }

  /** String-to-string pairs. */
  metadata(name: string, max: { keys: number; value: number }): Record<string, string> | undefined {
    const isPair = ([key, value]: [string, unknown]) =>
      key.length <= 256 && typeof value === 'string' && value.length <= max.value;
    return this.#read(
      name,
      (value): value is Record<string, string> =>
        isObject(value) && Object.keys(value).length <= max.keys && Object.entries(value).every(isPair),
      `must be an object with at most ${max.keys} string values of at most ${max.value} characters`,
    );
  }

  /** Throws if any field was invalid. */
  finish(): void {
    if (this.#errors.length > 0) throw new RelayProblem('invalid_request', { fields: this.#errors });
  }

  #read<T>(name: string, isValid: (value: unknown) => value is T, detail: string): T | undefined {
    const value = Object.hasOwn(this.#body, name) ? this.#body[name] : undefined;
    if (value === undefined || isValid(value)) return value as T | undefined;
    this.#errors.push({ pointer: `/${name}`, detail });
    return undefined;
  }
}
