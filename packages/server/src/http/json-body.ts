import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

/** Deeper bodies are refused: writing them out again would overflow the stack. */
const MAX_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads JSON bodies; member names that could reach a prototype are removed while parsing. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isTooDeep(body as string)) return done(new ApiError('invalid_json'));
    return parse(request, body as string, done);
  });
}

function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    // [ and { differ from ] and } by the same bit pattern: 0x5b/0x7b open, 0x5d/0x7d close.
    else if ((code & 0xdf) === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if ((code & 0xdf) === 0x5d) depth--;
  }
  return false;
}
