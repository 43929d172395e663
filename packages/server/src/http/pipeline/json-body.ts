import { isAscii, isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';

/** Serializing deeper bodies could overflow the stack. */
const MAX_DEPTH = 32;

const COMPRESSED = 'Compressed bodies are not supported. Send the body without `Content-Encoding`.';

/** The usual spellings, of all routes and of those for pages. */
export const JSON_TYPES = spellingsOf('application/json');
/** Pages of other origins can send text without a preflight. */
export const PAGE_TYPES = new Set([...JSON_TYPES, ...spellingsOf('text/plain')]);

function spellingsOf(type: string): ReadonlySet<string> {
  return new Set([type, `${type}; charset=utf-8`, `${type};charset=utf-8`, `${type};charset=UTF-8`]);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no body. */
    emptyBody?: boolean;
    /** The route also accepts JSON as `text/plain`. */
    plainText?: boolean;
  }
}

/** Parses a JSON body, removes names that could change a prototype, and makes text well-formed Unicode. */
export function jsonBodyParser(app: FastifyInstance): (body: Buffer) => unknown {
  const parseText = app.getDefaultJsonParser('remove', 'remove');
  return (body) => {
    const plain = parsePlain(body);
    if (plain !== undefined) return plain;
    // Decoding would silently insert replacement characters.
    if (!isUtf8(body)) throw new ApiError('invalid_json');
    const text = body.toString();
    const { tooDeep, surrogateEscapes } = scan(text);
    if (tooDeep) throw new ApiError('invalid_json');
    let failure: Error | null = null;
    let value: unknown;
    // It calls back at once.
    parseText(undefined as never, text, (error, parsed) => {
      failure = error;
      value = parsed;
    });
    if (failure !== null) throw failure;
    return surrogateEscapes ? wellFormed(value) : value;
  };
}

export function parseJsonBodies(app: FastifyInstance, parse: (body: Buffer) => unknown): void {
  const parseJson: BodyParser = (request, body, done) => {
    const { 'content-encoding': coding } = request.headers;
    if (coding !== undefined && coding !== 'identity') {
      return done(new ApiError('unsupported_media_type', { message: COMPRESSED }));
    }
    // Many clients send the content type even without a body.
    if (body.length === 0 && request.routeOptions.config.emptyBody) return done(null, undefined);
    try {
      done(null, parse(body));
    } catch (error) {
      done(error as Error);
    }
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  app.addContentTypeParser<Buffer>('text/plain', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.plainText) parseJson(request, body, done);
    else done(new ApiError('unsupported_media_type'));
  });
}

type BodyParser = (
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
) => void;

/**
 * The value of an ordinary body: ASCII, few brackets, no escapes and no names that could change a prototype. Undefined
 * for all others, which have to be checked more closely.
 */
function parsePlain(body: Buffer): unknown {
  if (!isAscii(body)) return undefined;
  const text = body.toString('latin1');
  if (text.includes('\\') || text.includes('__proto__') || text.includes('constructor')) return undefined;
  if (hasMoreThan(MAX_DEPTH / 2, '{', text) || hasMoreThan(MAX_DEPTH / 2, '[', text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasMoreThan(max: number, character: string, text: string): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    if (++count > max) return true;
  }
  return false;
}

/** [ and { differ from ] and } by the same bit pattern: 0x5b/0x7b open, 0x5d/0x7d close. */
const isOpening = (code: number) => (code & 0xdf) === 0x5b;
const isClosing = (code: number) => (code & 0xdf) === 0x5d;

/** Scans the text once before it is parsed. */
function scan(json: string): { tooDeep: boolean; surrogateEscapes: boolean } {
  let depth = 0;
  let inString = false;
  let surrogateEscapes = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) {
        i++;
        surrogateEscapes ||= json[i] === 'u' && (json[i + 1] === 'd' || json[i + 1] === 'D');
      } else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (isOpening(code)) {
      if (++depth > MAX_DEPTH) return { tooDeep: true, surrogateEscapes };
    } else if (isClosing(code)) depth--;
  }
  return { tooDeep: false, surrogateEscapes };
}

/** Replaces lone surrogates, which UTF-8 cannot encode, with U+FFFD in all values and names. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  );
}
