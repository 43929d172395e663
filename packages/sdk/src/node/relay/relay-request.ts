import type { IncomingMessage } from 'node:http';
import { header } from '../request-facts.ts';
import { type Location, locationBelow, locationOf, type MountedRequest } from './relay-path.ts';
import { bodyTooLarge, RelayProblem } from './relay-problem.ts';

/** A request of a page, from any framework. */
export interface RelayRequest extends Location {
  readonly method: string;
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
  readText(maxBytes: number): Promise<string>;
}

/** A request that was let in. */
export interface RelayCall extends RelayRequest {
  /** The JSON in the body of a POST request. */
  readonly text: string;
  /** The address of the visitor. */
  readonly visitorAddress: string | undefined;
}

/** Members that Express, Fastify and body parsers add. */
interface NodeRequest extends Omit<MountedRequest, 'url'>, IncomingMessage {
  ip?: unknown;
  app?: { get?(setting: string): unknown };
  body?: unknown;
}

/** For `node:http`, Express and other frameworks with the same request. */
export function fromNodeRequest(request: NodeRequest): RelayRequest {
  const socketAddress = request.socket?.remoteAddress;
  return {
    ...describe(request, request.method),
    ...locationOf(request),
    ...addressOf(request.ip, socketAddress),
    hosts: [header(request.headers, 'host'), forwardedHostOf(request)],
    async readText(maxBytes) {
      checkLength(request.headers['content-length'], maxBytes);
      // A body parser may have read it already.
      const wasRead = request.readableDidRead || request.readableEnded;
      const text = wasRead ? '' : await readStream(request, maxBytes);
      return text || textOf(request.body, maxBytes);
    },
  };
}

/** What Express 5 has as `req.host`; Express 4 warns about its use. */
function forwardedHostOf({ app, headers, socket }: NodeRequest): string | undefined {
  const isTrusted = app?.get?.('trust proxy fn');
  if (typeof isTrusted !== 'function' || !isTrusted(socket?.remoteAddress, 0)) return undefined;
  return header(headers, 'x-forwarded-host')?.split(',')[0]?.trim();
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

export function fromFastifyRequest(request: FastifyRequestLike, prefix: string): RelayRequest {
  return {
    ...describe(request, request.method),
    ...locationBelow(prefix, request.url),
    ...addressOf(request.ip, request.raw.socket?.remoteAddress),
    hosts: [header(request.headers, 'host'), request.host],
    readText: async (maxBytes) => textOf(request.body, maxBytes),
  };
}

export function fromFetchRequest(request: Request): RelayRequest {
  return {
    ...describe(request, request.method),
    ...locationOf({ url: new URL(request.url).pathname }),
    ...addressOf(undefined, undefined),
    hosts: [request.headers.get('host')],
    // Without a look at the length: some servers close the connection if the body is not read.
    readText: async (maxBytes) =>
      request.body ? readStream(request.body as unknown as AsyncIterable<Uint8Array>, maxBytes) : '',
  };
}

function describe(request: { headers: unknown }, method = '') {
  return {
    method,
    header: (name: string) => header(request.headers, name),
    original: request,
  };
}

function addressOf(resolved: unknown, socketAddress: string | undefined) {
  const address = typeof resolved === 'string' && resolved !== '' ? resolved : socketAddress;
  return { address, isAddressForwarded: address !== socketAddress };
}

const unreadable = (): never => {
  throw new RelayProblem('invalid_request', { message: 'The body could not be read.' });
};

function checkLength(length: string | undefined, maxBytes: number): void {
  if (Number(length ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** Reads a bounded body. Not with `for await`, which would destroy the connection on leaving the loop. */
async function readStream(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const iterator = stream[Symbol.asyncIterator]();
  const nextChunk = async () => {
    const { done, value } = await iterator.next().catch(unreadable);
    return done ? undefined : value;
  };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await nextChunk(); chunk; chunk = await nextChunk()) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      void discard(nextChunk);
      throw bodyTooLarge(maxBytes);
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
function textOf(body: unknown, maxBytes: number): string {
  if (body === undefined || body === null) return '';
  const text =
    typeof body === 'string' ? body : body instanceof Uint8Array ? decode(body) : JSON.stringify(body);
  if (Buffer.byteLength(text) > maxBytes) throw bodyTooLarge(maxBytes);
  return text;
}

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
