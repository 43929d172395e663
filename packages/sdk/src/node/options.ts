import { failure } from '../client/result.ts';

/** What `createSwitchyard` takes. */
export interface SwitchyardOptions {
  /** Address of the service, e.g. `https://switchyard.example`. */
  apiUrl: string;
  /** `service_sec_…`. It must never reach a browser. */
  secretApiKey: string;
  propertyId: string;
  /** The environment whose flag configurations count; `production` unless said. */
  environment?: string;
  /** `service_pub_…`, for split tests; without it the service is asked once for the newest of the property. */
  publicApiKey?: string;
  /**
   * Where flags are evaluated. `local` (the default): here, at once, from definitions kept fresh in the background.
   * `remote`: by the service, with `flags.resolve` and `flags.evaluate`; nothing runs in the background.
   */
  evaluation?: 'local' | 'remote';
  /** Whether changes of flags are pushed by the service; true unless said. Polling goes on either way. */
  stream?: boolean;
  /** Time between two looks at the flags, in milliseconds; 60,000 unless said, at least 1,000. */
  pollIntervalMs?: number;
  /** The longest a call takes, retries included, in milliseconds; 5,000 unless said. */
  timeoutMs?: number;
  /** How the cookies of `splitTest.forRequest` are set. */
  cookies?: {
    /** E.g. `shop.example`, to share the ids between its subdomains. */
    domain?: string;
    /** `Secure`; unless said, on requests that came by https. */
    secure?: boolean;
  };
  /** Hears of what goes wrong in the background: flags that cannot be fetched, exposures that are dropped. */
  onError?: (error: { code: string; message: string }) => void;
  /** Writes such problems to the console, each kind once. */
  debug?: boolean;
}

/** The options, complete and checked. */
export interface Settings {
  apiUrl: string;
  secretApiKey: string;
  propertyId: string;
  environment: string;
  publicApiKey: string | undefined;
  evaluation: 'local' | 'remote';
  stream: boolean;
  pollIntervalMs: number;
  timeoutMs: number;
  cookies: { domain?: string; secure?: boolean };
}

const PRINTABLE = /^[\x21-\x7e]+$/;
const DOMAIN = /^[A-Za-z0-9.-]{1,253}$/;

/** What is wrong with the options, if anything, and settings that are safe to work with either way. */
export function readOptions(given: SwitchyardOptions): {
  settings: Settings;
  problem: ReturnType<typeof failure> | undefined;
} {
  const options: Partial<SwitchyardOptions> = typeof given === 'object' && given !== null ? given : {};
  const { publicApiKey, cookies } = options;
  const domain = cookies?.domain;
  const settings: Settings = {
    apiUrl: text(options.apiUrl).replace(/\/+$/, ''),
    secretApiKey: text(options.secretApiKey),
    propertyId: text(options.propertyId),
    environment: text(options.environment) || 'production',
    publicApiKey: publicApiKey && PRINTABLE.test(publicApiKey) ? publicApiKey : undefined,
    evaluation: options.evaluation === 'remote' ? 'remote' : 'local',
    stream: options.stream !== false,
    pollIntervalMs: Math.max(1000, positive(options.pollIntervalMs, 60_000)),
    timeoutMs: positive(options.timeoutMs, 5000),
    cookies: {
      ...(domain && DOMAIN.test(domain) ? { domain } : {}),
      ...(typeof cookies?.secure === 'boolean' ? { secure: cookies.secure } : {}),
    },
  };
  const problem = problemOf(settings, publicApiKey);
  return { settings: problem ? { ...settings, stream: false } : settings, problem };
}

function problemOf(settings: Settings, publicApiKey: string | undefined) {
  if (!isAddress(settings.apiUrl)) {
    return failure('invalid_argument', '`apiUrl` must be the http or https address of the service.');
  }
  if (settings.propertyId === '') return failure('invalid_argument', '`propertyId` is missing.');
  if (settings.secretApiKey.startsWith('service_pub_')) {
    return failure(
      'wrong_key_kind',
      '`secretApiKey` was given a public key (service_pub_…). Servers use the secret key, service_sec_….',
    );
  }
  if (!PRINTABLE.test(settings.secretApiKey)) {
    return failure('invalid_argument', '`secretApiKey` is missing or is no key.');
  }
  if (publicApiKey?.startsWith('service_sec_')) {
    return failure(
      'wrong_key_kind',
      '`publicApiKey` was given a secret key (service_sec_…). It must be the public key, service_pub_….',
    );
  }
  return undefined;
}

function isAddress(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function positive(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 && value < 2 ** 31 ? value : otherwise;
}
