import { isIP } from 'node:net';
import { resolve } from 'node:path';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly provisionFile: string | undefined;
  /** URL under which clients reach the service, without a trailing slash; default: the listening address. */
  readonly publicUrl: string | undefined;
  /** As in Fastify: a number of proxies, a list of addresses, or whether to trust all. */
  readonly trustProxy: boolean | number | string;
  readonly logLevel: LogLevel;
  /** Requests per second and key; 0 disables this limit and the limit per address. */
  readonly rateLimitPerSecond: number;
  /** Requests per second and client address on browser endpoints; 0 disables the limit. */
  readonly rateLimitPerAddress: number;
  /** Bearer token for `/metrics`; without it, metrics are only available locally. */
  readonly metricsToken: string | undefined;
  /**
   * Max size of the journal. Half is for requests that are acknowledged but not yet in the event store; when it is
   * full, writes get 503. Three eighths are for idempotency keys sent with a secret API key in the last 24 hours
   * (64 bytes each); when full, requests with a new key get 503. One eighth is for idempotency keys sent with a public
   * API key; when full, the oldest are dropped.
   */
  readonly journalMaxBytes: number;
  /** Whether webhooks may be sent to private and loopback addresses. */
  readonly webhookAllowPrivate: boolean;
  /** Warnings for the operator, logged at startup. */
  readonly warnings: readonly string[];
}

/** An invalid setting; the message names the variable. */
class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Parser<T> = (text: string, name: string) => T;

const text: Parser<string> = (value) => value;

const integer =
  (minimum: number, maximum: number): Parser<number> =>
  (value, name) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
    throw new ConfigError(`${name} must be a whole number from ${minimum} to ${maximum}, not "${value}"`);
  };

const oneOf =
  <T extends string>(allowed: readonly T[]): Parser<T> =>
  (value, name) => {
    const found = allowed.find((candidate) => candidate === value.toLowerCase());
    if (found !== undefined) return found;
    throw new ConfigError(`${name} must be one of ${allowed.join(', ')}, not "${value}"`);
  };

const httpUrl: Parser<string> = (value, name) => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new ConfigError(`${name} must be a URL such as https://switchyard.example, not "${value}"`);
  }
  return value.replace(/\/+$/, '');
};

const MIN_TOKEN_LENGTH = 16;

/** The message omits the value: it is a secret, and messages end up in logs. */
const bearerToken: Parser<string> = (value, name) => {
  if (new RegExp(`^[\\w.~+/=-]{${MIN_TOKEN_LENGTH},}$`).test(value)) return value;
  throw new ConfigError(
    `${name} must have at least ${MIN_TOKEN_LENGTH} characters from A-Z a-z 0-9 . _ ~ + / = -`,
  );
};

const trustedProxies: Parser<boolean | number | string> = (value, name) => {
  if (/^\d+$/.test(value)) return Number(value);
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (value.split(',').every((entry) => isNetwork(entry.trim()))) return value;
  throw new ConfigError(
    `${name} must be true, false, a number of proxies, or a comma-separated list of addresses, not "${value}"`,
  );
};

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether an entry is an address, a network such as 10.0.0.0/8, or a named network. */
function isNetwork(entry: string): boolean {
  if (NAMED_NETWORKS.includes(entry)) return true;
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Fails the start: ignoring the setting would store data in an unexpected place. */
const unsupported =
  (engine: string): Parser<undefined> =>
  (_value, name) => {
    throw new ConfigError(
      `${name} is set, but this version does not support ${engine} yet and stores everything in DATA_DIR. Unset ${name}.`,
    );
  };

/** The only place that reads environment variables. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const read = <T, F>(name: string, parse: Parser<T>, fallback: F): T | F => {
    const value = environment[name]?.trim();
    return value === undefined || value === '' ? fallback : parse(value, name);
  };
  read('DATABASE_URL', unsupported('PostgreSQL'), undefined);
  read('CLICKHOUSE_URL', unsupported('ClickHouse'), undefined);
  const warnings = ['ADMIN_EMAIL', 'ADMIN_PASSWORD']
    .filter((name) => environment[name])
    .map((name) => `${name} is set, but has no effect: this version has no user accounts`);
  return Object.freeze({
    host: read('HOST', text, '127.0.0.1'),
    port: read('PORT', integer(0, 65_535), 8080),
    dataDir: resolve(read('DATA_DIR', text, './data')),
    provisionFile: read('PROVISION_FILE', text, undefined),
    publicUrl: read('PUBLIC_URL', httpUrl, undefined),
    trustProxy: read('TRUST_PROXY', trustedProxies, false),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    rateLimitPerSecond: read('RATE_LIMIT_PER_SECOND', integer(0, 10_000_000), 5000),
    rateLimitPerAddress: read('RATE_LIMIT_PER_ADDRESS', integer(0, 10_000_000), 100),
    metricsToken: read('METRICS_TOKEN', bearerToken, undefined),
    journalMaxBytes: read('JOURNAL_MAX_BYTES', integer(1024, 2 ** 40), 512 * 1024 * 1024),
    webhookAllowPrivate: read('WEBHOOK_ALLOW_PRIVATE', oneOf(['true', 'false']), 'false') === 'true',
    warnings,
  });
}
