import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { readScript } from './read-script.ts';
import { RelayProblem } from './relay-problem.ts';
import type { RelayCall } from './relay-request.ts';
import { etagOf, type RelayResponse, unlessUnchanged } from './relay-response.ts';

interface Script {
  etag: string;
  encodings: Record<'br' | 'gzip' | 'identity', Uint8Array<ArrayBuffer>>;
}

/** Names in URLs of the relay, and the files of this package. */
const FILES: Record<string, string> = {
  'sdk.js': 'sdk-relay.js',
  'sdk-debug.js': 'sdk-debug.js',
  'sdk-audience.js': 'sdk-audience.js',
  'sdk-audience-values.js': 'sdk-audience-values.js',
};

const scripts = new Map<string, Promise<Script>>();

/** The browser client, from the site's own origin. */
export async function sendScript(name: string, call: RelayCall): Promise<RelayResponse> {
  const text = readScript(FILES[name] ?? name);
  if (text === undefined) throw new RelayProblem('not_found');
  let script = scripts.get(name);
  if (!script) {
    script = compress(text);
    scripts.set(name, script);
  }
  const { etag, encodings } = await script;
  const accepted = call.header('accept-encoding') ?? '';
  const encoding = /\bbr\b(?!;\s*q=0)/.test(accepted)
    ? 'br'
    : /\bgzip\b(?!;\s*q=0)/.test(accepted)
      ? 'gzip'
      : 'identity';
  const headers: Record<string, string> = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300',
    vary: 'accept-encoding',
  };
  if (encoding !== 'identity') headers['content-encoding'] = encoding;
  const response = { status: 200, headers, body: encodings[encoding] };
  return unlessUnchanged(response, etag, call.header('if-none-match'));
}

/** Compressed once, in the background. */
async function compress(text: string): Promise<Script> {
  const identity = Buffer.from(text);
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  return { etag: etagOf(text), encodings: { br, gzip: gzipped, identity } };
}
