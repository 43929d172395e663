import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@switchyard/core/api/password-limits';

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
  /** Created at the start as long as there is no owner. */
  readonly firstOwner: { readonly email: string; readonly password: string } | undefined;
  /** OpenID Connect; undefined: people sign in with passwords only. */
  readonly oidc: OidcConfig | undefined;
}

interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** In lower case. Empty: only existing accounts may sign in. */
  readonly allowedDomains: readonly string[];
  /** Role of new accounts in every existing property. */
  readonly defaultRole: 'viewer' | 'editor' | 'admin' | undefined;
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

const email: Parser<string> = (value, name) => {
  if (value.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(value)) return value.toLowerCase();
  throw new ConfigError(`${name} must be an email address, not "${value}"`);
};

/** The message omits the value. */
const newPassword: Parser<string> = (value, name) => {
  const length = [...value].length;
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return value;
  throw new ConfigError(
    `${name} must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; it has ${length}`,
  );
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Tokens of the provider must not cross a network in plain text. */
const issuerUrl: Parser<string> = (value, name) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = url?.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return value;
  throw new ConfigError(`${name} must be an https URL such as https://accounts.example.com, not "${value}"`);
};

const domains: Parser<readonly string[]> = (value, name) => {
  const list = value.split(',').map((domain) => domain.trim().toLowerCase());
  if (list.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain))) return list;
  throw new ConfigError(`${name} must be a comma-separated list of domains, not "${value}"`);
};

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
    firstOwner: readFirstOwner(environment, read),
    oidc: readOidc(read),
  });
}

type Read = <T, F>(name: string, parse: Parser<T>, fallback: F) => T | F;

function readFirstOwner(environment: NodeJS.ProcessEnv, read: Read): Config['firstOwner'] {
  const address = read('ADMIN_EMAIL', email, undefined);
  // Not trimmed: spaces are part of a password.
  const password = environment.ADMIN_PASSWORD || undefined;
  if (address === undefined && password === undefined) return undefined;
  if (address === undefined) throw new ConfigError('ADMIN_PASSWORD is set, but ADMIN_EMAIL is not');
  if (password === undefined) throw new ConfigError('ADMIN_EMAIL is set, but ADMIN_PASSWORD is not');
  return { email: address, password: newPassword(password, 'ADMIN_PASSWORD') };
}

const DEFAULT_ROLES = ['none', 'viewer', 'editor', 'admin'] as const;

function readOidc(read: Read): OidcConfig | undefined {
  const issuer = read('OIDC_ISSUER', issuerUrl, undefined);
  const clientId = read('OIDC_CLIENT_ID', text, undefined);
  const clientSecret = read('OIDC_CLIENT_SECRET', text, undefined);
  const allowedDomains = read('OIDC_ALLOWED_DOMAINS', domains, []);
  const role = read('OIDC_DEFAULT_ROLE', oneOf(DEFAULT_ROLES), 'none');
  if (issuer === undefined) {
    const others = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ALLOWED_DOMAINS', 'OIDC_DEFAULT_ROLE'];
    const useless = others.find((name) => read(name, text, undefined) !== undefined);
    if (useless === undefined) return undefined;
    throw new ConfigError(`${useless} is set, but OIDC_ISSUER is not`);
  }
  if (clientId === undefined) throw new ConfigError('OIDC_ISSUER is set, but OIDC_CLIENT_ID is not');
  if (clientSecret === undefined) throw new ConfigError('OIDC_ISSUER is set, but OIDC_CLIENT_SECRET is not');
  const defaultRole = role === 'none' ? undefined : role;
  return { issuer, clientId, clientSecret, allowedDomains, defaultRole };
}
