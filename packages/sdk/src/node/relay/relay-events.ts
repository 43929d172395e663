import { isIP } from 'node:net';
import { messageOf } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { PublicKey } from '../split-tests/public-key.ts';
import { unavailable } from './relay-problem.ts';
import type { RelayCall } from './relay-request.ts';
import { etagOf, jsonResponse, type RelayResponse, unlessUnchanged } from './relay-response.ts';
import type { Slots } from './slots.ts';

/** Older definitions are not used, not even while the service is down. */
const MAX_CONFIG_AGE_MS = 24 * 60 * 60 * 1000;
const RETRY_MS = 5000;

/** Headers of the visitor that the service looks at. */
const VISITOR_HEADERS = ['user-agent', 'idempotency-key'];
/** Anyone can send them, so they count only if they come from a proxy that sets or removes them. */
const COUNTRY_HEADERS = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-country-code',
];
const RESPONSE_HEADERS = ['content-type', 'retry-after', 'x-request-id'];

interface ForwardingOptions {
  settings: Settings;
  publicKey: PublicKey;
  reporter: Reporter;
  slots: Slots;
  /** `undefined`: if the framework trusts the proxy. */
  trustCountryHeaders: boolean | undefined;
}

interface FetchedConfig {
  body: string;
  etag: string;
  cacheControl: string;
  maxAgeMs: number;
  /** On a monotonic clock. */
  fetchedAt: number;
}

/** A response of the service. */
interface Upstream {
  status: number;
  headers: Headers;
  body: string;
}

const FAILED: Upstream = { status: 0, headers: new Headers(), body: '' };

/** Forwards what browsers may send with the public key. */
export class RelayEvents {
  readonly #options: ForwardingOptions;
  #config: FetchedConfig | undefined;
  #fetching: Promise<void> | undefined;
  /** Pages do not wait for a service that is down. */
  #retryAt = 0;
  /** Until then, events are refused, because a service that hangs would hold all slots. */
  #pausedUntil = 0;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** `POST /v1/split-testing/expose` and `POST /v1/sessions/collect`, as the page sent them. */
  async post(path: string, call: RelayCall): Promise<RelayResponse> {
    const { trustCountryHeaders = call.isAddressForwarded, slots } = this.#options;
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) throw unavailable(String(Math.ceil(pauseMs / 1000)));
    const { text, visitorAddress } = call;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    for (const name of trustCountryHeaders ? [...VISITOR_HEADERS, ...COUNTRY_HEADERS] : VISITOR_HEADERS) {
      const value = call.header(name);
      if (value !== undefined) headers[name] = value;
    }
    if (visitorAddress !== undefined && isIP(visitorAddress)) headers['x-forwarded-for'] = visitorAddress;
    const init = { method: 'POST', headers, body: text };
    return passOn(await slots.run(() => this.#send(path, init)));
  }

  /** The definitions, fetched once for all pages. While the service is down, the last known ones are used. */
  async config(call: RelayCall): Promise<RelayResponse> {
    const now = performance.now();
    if (now >= this.#retryAt && !(this.#config && isYounger(this.#config, this.#config.maxAgeMs))) {
      // Without a free slot, the last known ones are used, too.
      await this.#options.slots.run(() => this.#refreshConfig()).catch(() => undefined);
    }
    const config = this.#config;
    if (!config || !isYounger(config, MAX_CONFIG_AGE_MS)) throw unavailable();
    const response = jsonResponse(config.body, { headers: { 'cache-control': config.cacheControl } });
    return unlessUnchanged(response, config.etag, call.header('if-none-match'));
  }

  /** One request for all pages that wait for it. */
  #refreshConfig(): Promise<void> {
    this.#fetching ??= this.#fetchConfig().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchConfig(): Promise<void> {
    const { propertyId } = this.#options.settings;
    const known = this.#config;
    const path = `/v1/split-testing/config?${new URLSearchParams({ propertyId })}`;
    const { status, headers, body } = await this.#send(path, {
      headers: known ? { 'if-none-match': known.etag } : {},
    }).catch(() => FAILED);
    if (status !== 200 && status !== 304) {
      this.#retryAt = performance.now() + RETRY_MS;
      return;
    }
    const cacheControl = headers.get('cache-control') ?? 'no-store';
    this.#config = {
      body: known && status === 304 ? known.body : body,
      etag: headers.get('etag') ?? etagOf(body),
      cacheControl,
      maxAgeMs: 1000 * Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? 0),
      fetchedAt: performance.now(),
    };
  }

  /** Throws 503 if the service cannot be reached or refuses the key, so that pages keep their events. */
  async #send(path: string, init: RequestInit, isRetry = false): Promise<Upstream> {
    const { settings, publicKey, reporter } = this.#options;
    const found = await publicKey.get(settings.timeoutMs);
    if (!found.success) {
      reporter.problem(found.error);
      if (found.error.code === 'timeout') this.#pause();
      throw unavailable();
    }
    const signal = AbortSignal.timeout(settings.timeoutMs);
    let upstream: Upstream;
    try {
      const response = await fetch(settings.apiUrl + path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), 'x-api-key': found.key },
        redirect: 'manual',
        cache: 'no-store',
        signal,
      });
      upstream = { status: response.status, headers: response.headers, body: await response.text() };
    } catch (error) {
      if (signal.aborted) this.#pause();
      reporter.problem({ code: 'network_error', message: `Cannot reach the service: ${messageOf(error)}` });
      throw unavailable();
    }
    if (upstream.status !== 401) return upstream;
    if (!isRetry && publicKey.forget(found.key)) return this.#send(path, init, true);
    reporter.problem({
      code: 'api_key_invalid',
      message: 'The service refused the public key of the relay.',
    });
    throw unavailable();
  }

  #pause(): void {
    this.#pausedUntil = performance.now() + RETRY_MS;
  }
}

const isYounger = ({ fetchedAt }: FetchedConfig, ms: number): boolean => performance.now() - fetchedAt < ms;

function passOn({ status, headers: from, body }: Upstream): RelayResponse {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  for (const name of RESPONSE_HEADERS) {
    const value = from.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status, headers, body };
}
