import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { parseRetryAfter } from '@switchyard/core/retry-after';
import { hostOf } from './private-address.ts';
import type { ResolveHost } from './resolve-host.ts';

const MAX_REDIRECTS = 3;
const MAX_RESPONSE_BYTES = 1024;
/** Time for one address of a host before the next one is tried; Node's default is too short for distant hosts. */
const CONNECT_ATTEMPT_MS = 2000;

export interface RequestLimits {
  resolve: ResolveHost;
  /** Checks every address before a connection. */
  isAllowed: (address: string) => boolean;
  /** For everything together: DNS, connecting, redirects, response. */
  timeoutMs: number;
  /** Cancels the request when the server stops. */
  signal: AbortSignal;
}

export interface WebhookResponse {
  /** Null without a response. */
  status: number | null;
  /** A short code; null if the webhook was accepted. */
  error: string | null;
  /** The beginning of the response. */
  text: string | null;
  retryAfterMs?: number | undefined;
}

/** A failure with a code that may be shown to users; other details of the network may not. */
class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Sends one attempt. Never rejects. */
export async function sendWebhook(
  url: string,
  headers: Record<string, string>,
  body: string,
  limits: RequestLimits,
): Promise<WebhookResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), limits.timeoutMs);
  const signal = AbortSignal.any([limits.signal, timeout.signal]);
  try {
    return await followRedirects(new URL(url), headers, body, { ...limits, signal });
  } catch (error) {
    return { status: null, error: timeout.signal.aborted ? 'timeout' : codeOf(error), text: null };
  } finally {
    clearTimeout(timer);
  }
}

async function followRedirects(
  first: URL,
  headers: Record<string, string>,
  body: string,
  limits: RequestLimits,
): Promise<WebhookResponse> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const addresses = await allowedAddresses(url, limits);
    const { response, text } = await post(url, addresses, headers, body, limits.signal);
    const status = response.statusCode ?? 0;
    // Only these keep the method and the body.
    if (status !== 307 && status !== 308) return outcomeOf(response, text);
    if (redirects === MAX_REDIRECTS) return { status, error: 'too_many_redirects', text };
    const next = redirectTarget(url, response.headers.location);
    if (typeof next === 'string') return { status, error: next, text };
    url = next;
  }
}

/** The next URL, or why it is refused. */
function redirectTarget(from: URL, location: string | undefined): URL | string {
  if (location === undefined || !URL.canParse(location, from.href)) return 'invalid_redirect';
  const url = new URL(location, from);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return 'invalid_redirect';
  return from.protocol === 'https:' && url.protocol === 'http:' ? 'insecure_redirect' : url;
}

function outcomeOf(response: IncomingMessage, text: string): WebhookResponse {
  const status = response.statusCode ?? 0;
  const accepted = status >= 200 && status < 300;
  return {
    status,
    error: accepted ? null : status === 410 ? 'gone' : 'http_status',
    text,
    retryAfterMs: parseRetryAfter(response.headers['retry-after'], Date.now()),
  };
}

/** Resolves the host once; the request then connects to these addresses, so that a second answer cannot differ. */
async function allowedAddresses(url: URL, { resolve, isAllowed, signal }: RequestLimits): Promise<string[]> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await unlessAborted(resolve(host), signal) : [host];
  if (addresses.length === 0) throw new RequestError('ENOTFOUND');
  if (!addresses.every((address) => isAllowed(address))) throw new RequestError('refused_address');
  return addresses;
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new RequestError('aborted'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

interface Received {
  response: IncomingMessage;
  text: string;
}

function post(
  url: URL,
  addresses: readonly string[],
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Received> {
  const options: RequestOptions & { autoSelectFamily: boolean; autoSelectFamilyAttemptTimeout: number } = {
    method: 'POST',
    hostname: hostOf(url),
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body) },
    // No connection is shared or kept.
    agent: false,
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(options);
    let hasResponse = false;
    const fail = (error: Error) => {
      if (!hasResponse) reject(error);
    };
    request.on('error', fail);
    request.on('response', (response) => {
      hasResponse = true;
      void readStart(response).then((text) => {
        resolve({ response, text });
        request.destroy();
      });
    });
    // Without a response and without an error, for example after an upgrade.
    request.on('close', () => fail(new RequestError('ECONNRESET')));
    request.end(body);
  });
}

/** Answers with the addresses that have been checked. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}

/** The first bytes of the body, or as many as arrive: the status has already decided. */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => {
      const start = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES);
      // PostgreSQL cannot store the character NUL.
      resolve(start.toString('utf8').replaceAll('\0', '\uFFFD'));
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_RESPONSE_BYTES) finish();
    });
    for (const event of ['end', 'error', 'close']) response.on(event, finish);
  });
}

/** Codes such as ECONNREFUSED and CERT_HAS_EXPIRED say enough; messages may contain addresses. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (error instanceof RequestError) return error.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : 'network_error';
}
