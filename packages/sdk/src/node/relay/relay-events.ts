import { isIP } from 'node:net';
import { messageOf } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { PublicKey } from '../split-tests/public-key.ts';
import { readJsonText } from './relay-body.ts';
import { unavailable } from './relay-problem.ts';
import type { RelayRequest } from './relay-request.ts';
import { jsonResponse, type RelayResponse, unlessUnchanged } from './relay-response.ts';

/** Older definitions are not used, not even while the service is down. */
const MAX_CONFIG_AGE_MS = 24 * 60 * 60 * 1000;
const CONFIG_PATH = '/v1/split-testing/config';

/** Headers of the visitor that the service looks at; it believes the country only of proxies that it trusts. */
const REQUEST_HEADERS = [
  'user-agent',
  'idempotency-key',
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-country-code',
];
const RESPONSE_HEADERS = ['content-type', 'retry-after', 'x-request-id'];

interface Parts {
  settings: Settings;
  publicKey: PublicKey;
  reporter: Reporter;
}

interface FetchedConfig {
  body: string;
  etag: string;
  cacheControl: string;
  maxAgeMs: number;
  /** On a monotonic clock. */
  fetchedAt: number;
}

/** Forwards what browsers may send with the public key. */
export class RelayEvents {
  readonly #parts: Parts;
  #config: FetchedConfig | undefined;
  #fetching: Promise<FetchedConfig | undefined> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `POST /v1/split-testing/expose` and `POST /v1/sessions/collect`, as the page sent them. */
  async post(path: string, request: RelayRequest, address: string | undefined): Promise<RelayResponse> {
    const body = await readJsonText(request);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    for (const name of REQUEST_HEADERS) {
      const value = request.header(name);
      if (value !== undefined) headers[name] = value;
    }
    if (address !== undefined && isIP(address)) headers['x-forwarded-for'] = address;
    const response = await this.#send(path, { method: 'POST', headers, body });
    return passOn(response, await response.text());
  }

  /** The definitions, fetched once for all pages. While the service is down, the last known ones are used. */
  async config(request: RelayRequest): Promise<RelayResponse> {
    let config = this.#config;
    if (!config || performance.now() - config.fetchedAt > config.maxAgeMs) {
      this.#fetching ??= this.#fetchConfig().finally(() => {
        this.#fetching = undefined;
      });
      config = await this.#fetching;
    }
    if (!config) throw unavailable();
    const headers = { 'cache-control': config.cacheControl };
    return unlessUnchanged(
      jsonResponse(config.body, { headers }),
      config.etag,
      request.header('if-none-match'),
    );
  }

  async #fetchConfig(): Promise<FetchedConfig | undefined> {
    const { propertyId } = this.#parts.settings;
    const known = this.#config;
    try {
      const response = await this.#send(`${CONFIG_PATH}?${new URLSearchParams({ propertyId })}`, {
        headers: known ? { 'if-none-match': known.etag } : {},
      });
      const body = response.status === 304 ? known!.body : await response.text();
      if (response.status !== 304 && !response.ok)
        throw new Error(`The service responded with ${response.status}.`);
      const cacheControl = response.headers.get('cache-control') ?? 'no-store';
      this.#config = {
        body,
        etag: response.headers.get('etag') ?? '""',
        cacheControl,
        maxAgeMs: 1000 * Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? 0),
        fetchedAt: performance.now(),
      };
      return this.#config;
    } catch (error) {
      this.#parts.reporter.problem({ code: 'network_error', message: messageOf(error) });
      return known && performance.now() - known.fetchedAt < MAX_CONFIG_AGE_MS ? known : undefined;
    }
  }

  /** Throws 503 if the service cannot be reached or refuses the key, so that pages keep their events. */
  async #send(path: string, init: RequestInit, isRetry = false): Promise<Response> {
    const { settings, publicKey, reporter } = this.#parts;
    const found = await publicKey.get(settings.timeoutMs);
    if (!found.success) throw unavailable();
    let response: Response;
    try {
      response = await fetch(settings.apiUrl + path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), 'x-api-key': found.key },
        redirect: 'manual',
        cache: 'no-store',
        signal: AbortSignal.timeout(settings.timeoutMs),
      });
    } catch (error) {
      reporter.problem({ code: 'network_error', message: `Cannot reach the service: ${messageOf(error)}` });
      throw unavailable();
    }
    if (response.status !== 401) return response;
    await response.body?.cancel();
    if (!isRetry && publicKey.forget(found.key)) return this.#send(path, init, true);
    reporter.problem({
      code: 'api_key_invalid',
      message: 'The service refused the public key of the relay.',
    });
    throw unavailable();
  }
}

function passOn(response: Response, body: string): RelayResponse {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  for (const name of RESPONSE_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: response.status, headers, body };
}
