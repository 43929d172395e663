import type { IncomingMessage } from 'node:http';
import { header } from '../request-facts.ts';
import { RelayProblem } from './relay-problem.ts';

/** The same as the limit of browsers for requests that outlive their page. */
export const MAX_BODY_BYTES = 64 * 1024;

/** A request of a page, from any framework. */
export interface RelayRequest {
  readonly method: string;
  /** Without the query; may start with the path that the relay is mounted at. */
  readonly path: string;
  readonly query: string;
  header(name: string): string | undefined;
  /** What the framework passed, for callbacks of the host. */
  readonly original: unknown;
  /** The address of the client, as far as the framework knows it. */
  readonly address: string | undefined;
  /** Whether the framework took the address from `x-forwarded-for`. */
  readonly isAddressForwarded: boolean;
  /** Host and port that the server is reached at; the second one is from a trusted proxy. */
  readonly hosts: readonly unknown[];
  /** Throws a problem if the body is too large. */
  readText(): Promise<string>;
}

/** A request that was let in. */
export interface RelayCall extends RelayRequest {
  /** The JSON in the body of a POST request. */
  readonly text: string;
  /** The address of the visitor. */
  readonly visitorAddress: string | undefined;
}

/** Members that Express, Fastify and body parsers add. */
interface NodeRequest extends IncomingMessage {
  ip?: unknown;
  host?: unknown;
  body?: unknown;
}

/** For `node:http`, Express and other frameworks with the same request. */
export function fromNodeRequest(request: NodeRequest): RelayRequest {
  const socketAddress = request.socket?.remoteAddress;
  return {
    ...describe(request, request.url, request.method),
    ...addressOf(request.ip, socketAddress),
    hosts: [header(request.headers, 'host'), request.host],
    async readText() {
      checkLength(request.headers['content-length']);
      // A body parser may have read it already.
      const wasRead = request.readableDidRead || request.readableEnded;
      const text = wasRead ? '' : await readStream(request);
      return text || textOf(request.body);
    },
  };
}

/** What the relay uses of a Fastify request; `body` is a buffer, because the plugin has its own parser. */
export interface FastifyRequestLike {
  method: string;
  url: string;
  headers: Record<string, unknown>;
  ip: string;
  host?: unknown;
  body: unknown;
  raw: { socket?: { remoteAddress?: string | undefined } };
}

export function fromFastifyRequest(request: FastifyRequestLike): RelayRequest {
  return {
    ...describe(request, request.url, request.method),
    ...addressOf(request.ip, request.raw.socket?.remoteAddress),
    hosts: [header(request.headers, 'host'), request.host],
    readText: async () => textOf(request.body),
  };
}

export function fromFetchRequest(request: Request): RelayRequest {
  const { pathname, search } = new URL(request.url);
  return {
    ...describe(request, pathname + search, request.method),
    ...addressOf(undefined, undefined),
    hosts: [request.headers.get('host')],
    async readText() {
      checkLength(request.headers.get('content-length'));
      return request.body ? readStream(request.body as unknown as AsyncIterable<Uint8Array>) : '';
    },
  };
}

function describe(request: { headers: unknown }, url = '', method = '') {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  return {
    method,
    path,
    query,
    header: (name: string) => header(request.headers, name),
    original: request,
  };
}

function addressOf(resolved: unknown, socketAddress: string | undefined) {
  const address = typeof resolved === 'string' && resolved !== '' ? resolved : socketAddress;
  return { address, isAddressForwarded: address !== socketAddress };
}

const tooLarge = () => new RelayProblem('body_too_large');

const unreadable = (): never => {
  throw new RelayProblem('invalid_request', { message: 'The body could not be read.' });
};

function checkLength(length: string | null | undefined): void {
  if (Number(length ?? 0) > MAX_BODY_BYTES) throw tooLarge();
}

/** Reads a bounded body. Not with `for await`, which would destroy the connection on leaving the loop. */
async function readStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const iterator = stream[Symbol.asyncIterator]();
  const nextChunk = async () => {
    const { done, value } = await iterator.next().catch(unreadable);
    return done ? undefined : value;
  };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await nextChunk(); chunk; chunk = await nextChunk()) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) {
      void discard(nextChunk);
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads the rest, so that the client gets to see the response. */
async function discard(nextChunk: () => Promise<unknown>): Promise<void> {
  try {
    while (await nextChunk());
  } catch {
    // The client is gone.
  }
}

/** The text of a body that a framework has parsed. */
function textOf(body: unknown): string {
  if (body === undefined || body === null) return '';
  const text =
    typeof body === 'string' ? body : body instanceof Uint8Array ? decode(body) : JSON.stringify(body);
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) throw tooLarge();
  return text;
}

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
