import { failure } from '../client/result.ts';

/** Options of `createSwitchyard`. */
export interface SwitchyardOptions {
  /** Base URL of the service, e.g. `https://switchyard.example`. */
  apiUrl: string;
  /** `service_sec_…`. It must never reach a browser. */
  secretApiKey: string;
  propertyId: string;
  /** The environment whose flag configuration is used. Default: `production`. */
  environment?: string;
  /** `service_pub_…`, for split tests. Default: the newest key of the property, fetched once from the service. */
  publicApiKey?: string;
  /**
   * Where flags are evaluated. `local` (default): in this process, from definitions that are updated in the background.
   * `remote`: by the service, with `flags.resolve` and `flags.evaluate`; nothing runs in the background.
   */
  evaluation?: 'local' | 'remote';
  /** Whether the service pushes flag changes. Default: true. Polling continues either way. */
  stream?: boolean;
  /** Polling interval of the flags, in milliseconds. Default: 60,000; min: 1,000. */
  pollIntervalMs?: number;
  /** Whether local evaluations are counted and reported to the service, every minute. Default: true. */
  usage?: boolean;
  /** Max duration of a call, retries included, in milliseconds. Default: 5,000. */
  timeoutMs?: number;
  /**
   * A directory, created if missing, for events that the service has not acknowledged yet, so that they survive a
   * restart or crash of this process. Several processes may share it. Default: events are kept in memory only.
   */
  spoolDirectory?: string;
  /**
   * `true`: requests with Global Privacy Control (`Sec-GPC: 1`) or Do Not Track (`DNT: 1`) take part in no split test.
   * `false`: they do with `consent: true`. Default: `true`.
   */
  respectPrivacySignals?: boolean;
  /**
   * `cnil`: no user ids in split tests, and a visitor cookie that ends 13 months after it was set and is not shared
   * with other subdomains.
   */
  preset?: 'cnil';
  /** Attributes of the cookies that `splitTest.forRequest` creates. */
  cookies?: {
    /** E.g. `shop.example`, to share visitors and sessions between subdomains. */
    domain?: string;
    /** Sets `Secure`. Default: on HTTPS requests. */
    secure?: boolean;
  };
  /** Called with errors that nobody may look at: flags that cannot be fetched, events that are dropped or refused. */
  onError?: (error: { code: string; message: string }) => void;
  /** Explains every decision and request in the console, without keys; also logs background errors, once per code. */
  debug?: boolean;
}

/** The validated options, with defaults. */
export interface Settings {
  apiUrl: string;
  secretApiKey: string;
  propertyId: string;
  environment: string;
  publicApiKey: string | undefined;
  evaluation: 'local' | 'remote';
  stream: boolean;
  pollIntervalMs: number;
  usage: boolean;
  timeoutMs: number;
  spoolDirectory: string | undefined;
  respectPrivacySignals: boolean;
  preset: 'cnil' | undefined;
  cookies: { domain?: string; secure?: boolean };
}

const PRINTABLE = /^[\x21-\x7e]+$/;
const DOMAIN = /^[A-Za-z0-9.-]{1,253}$/;

/** Settings that are safe to use, and what is wrong with the options, if anything. */
export function readOptions(input: SwitchyardOptions): {
  settings: Settings;
  problem: ReturnType<typeof failure> | undefined;
} {
  const options: Partial<SwitchyardOptions> = typeof input === 'object' && input !== null ? input : {};
  const { publicApiKey, cookies } = options;
  const preset = options.preset === 'cnil' ? 'cnil' : undefined;
  const domain = preset ? undefined : cookies?.domain;
  const settings: Settings = {
    apiUrl: text(options.apiUrl).replace(/\/+$/, ''),
    secretApiKey: text(options.secretApiKey),
    propertyId: text(options.propertyId),
    environment: text(options.environment) || 'production',
    publicApiKey: publicApiKey && PRINTABLE.test(publicApiKey) ? publicApiKey : undefined,
    evaluation: options.evaluation === 'remote' ? 'remote' : 'local',
    stream: options.stream !== false,
    pollIntervalMs: Math.max(1000, positive(options.pollIntervalMs, 60_000)),
    usage: options.usage !== false,
    timeoutMs: positive(options.timeoutMs, 5000),
    spoolDirectory: text(options.spoolDirectory) || undefined,
    respectPrivacySignals: options.respectPrivacySignals !== false,
    preset,
    cookies: {
      ...(domain && DOMAIN.test(domain) ? { domain } : {}),
      ...(typeof cookies?.secure === 'boolean' ? { secure: cookies.secure } : {}),
    },
  };
  const problem = findProblem(settings, options);
  if (!problem) return { settings, problem };
  return { settings: { ...settings, stream: false, usage: false, spoolDirectory: undefined }, problem };
}

function findProblem(settings: Settings, { publicApiKey, spoolDirectory }: Partial<SwitchyardOptions>) {
  if (!isHttpUrl(settings.apiUrl)) {
    return failure('invalid_argument', '`apiUrl` must be an http or https URL.');
  }
  if (settings.propertyId === '') return failure('invalid_argument', '`propertyId` is missing.');
  if (settings.secretApiKey.startsWith('service_pub_')) {
    return failure(
      'wrong_key_kind',
      '`secretApiKey` is a public key (service_pub_…). Use the secret key (service_sec_…) on servers.',
    );
  }
  if (!PRINTABLE.test(settings.secretApiKey)) {
    return failure('invalid_argument', '`secretApiKey` is missing or invalid.');
  }
  if (publicApiKey?.startsWith('service_sec_')) {
    return failure(
      'wrong_key_kind',
      '`publicApiKey` is a secret key (service_sec_…). Use the public key (service_pub_…).',
    );
  }
  if (spoolDirectory !== undefined && typeof spoolDirectory !== 'string') {
    return failure('invalid_argument', '`spoolDirectory` must be the path of a directory.');
  }
  return undefined;
}

function isHttpUrl(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value, if it is a positive number that timers can take. */
export function positive(value: unknown, defaultValue: number): number {
  return typeof value === 'number' && value > 0 && value < 2 ** 31 ? value : defaultValue;
}
