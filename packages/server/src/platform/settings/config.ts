import { resolve } from 'node:path';
import { SECOND_MS } from '@switchyard/core/time';
import { ConfigError, newPassword, type Parser } from './setting-parsers.ts';
import { type LogLevel, SETTINGS, type SettingName, type SettingValue } from './settings.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** PostgreSQL for the configuration and ClickHouse for the events; undefined: both are files in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly clickhouseUrl: string | undefined;
  /** Name of the ClickHouse cluster; undefined: a single server. */
  readonly clickhouseCluster: string | undefined;
  /** Bytes for one report in ClickHouse. */
  readonly clickhouseMaxMemory: number | undefined;
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
  /** Max size of requests that are acknowledged but not yet in the event store; when it is reached, writes get 503. */
  readonly journalMaxBytes: number;
  /** Max open streams, of all and of each key or account. */
  readonly streamsMax: number;
  readonly streamsMaxPerKey: number;
  /** Number of processes that serve requests; 1: the one process that does everything. */
  readonly workers: number;
  /** How long to serve requests after SIGTERM. */
  readonly shutdownDelayMs: number;
  /** Whether webhooks may be sent to private and loopback addresses. */
  readonly webhookAllowPrivate: boolean;
  /** Created at the start as long as there is no owner. */
  readonly firstOwner: { readonly email: string; readonly password: string } | undefined;
  /** OpenID Connect; undefined: people sign in with passwords only. */
  readonly oidc: OidcConfig | undefined;
  /** Where traces are sent; undefined: nothing is traced. */
  readonly tracing: TracingConfig | undefined;
}

export interface TracingConfig {
  /** Base URL of a collector, without a trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Share of requests without a `traceparent` that are traced. */
  readonly share: number;
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

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * All settings. This file is the only one of the server that reads the environment.
 *
 * @param given settings that replace those of the environment
 */
export function loadConfig(given: Environment = {}, variables: Environment = process.env): Config {
  const environment = { ...variables, ...given };
  const read = readerOf(environment);
  return Object.freeze({
    host: read('HOST'),
    port: read('PORT'),
    dataDir: resolve(read('DATA_DIR')),
    ...readServers(read),
    clickhouseMaxMemory: read('CLICKHOUSE_MAX_MEMORY'),
    provisionFile: read('PROVISION_FILE'),
    publicUrl: read('PUBLIC_URL'),
    trustProxy: read('TRUST_PROXY'),
    logLevel: read('LOG_LEVEL'),
    rateLimitPerSecond: read('RATE_LIMIT_PER_SECOND'),
    rateLimitPerAddress: read('RATE_LIMIT_PER_ADDRESS'),
    metricsToken: read('METRICS_TOKEN'),
    journalMaxBytes: read('JOURNAL_MAX_BYTES'),
    streamsMax: read('STREAMS_MAX'),
    streamsMaxPerKey: read('STREAMS_MAX_PER_KEY'),
    workers: read('WORKERS'),
    shutdownDelayMs: read('SHUTDOWN_DELAY_SECONDS') * SECOND_MS,
    webhookAllowPrivate: read('WEBHOOK_ALLOW_PRIVATE') === 'true',
    firstOwner: readFirstOwner(environment, read),
    oidc: readOidc(read, environment),
    tracing: readTracing(read),
  });
}

/** One setting, for commands that need no others. */
export function loadSetting<Name extends SettingName>(name: Name): SettingValue<Name> {
  return readerOf(process.env)(name);
}

/** Of `person export`, which is a client of a running server; not a setting of the server. */
export const loadAccessToken = (): string => process.env.SWITCHYARD_TOKEN ?? '';

type Read = <Name extends SettingName>(name: Name) => SettingValue<Name>;

const readerOf =
  (environment: Environment): Read =>
  (name) => {
    const { parse, fallback } = SETTINGS[name];
    const text = textOf(environment, name);
    return (text === undefined ? fallback : (parse as Parser<unknown>)(text, name)) as never;
  };

const textOf = (environment: Environment, name: string) => environment[name]?.trim() || undefined;

type Servers = Pick<Config, 'databaseUrl' | 'clickhouseUrl' | 'clickhouseCluster'>;

/** Both or neither: with one of them alone, a second node would share only half of its data. */
function readServers(read: Read): Servers {
  const databaseUrl = read('DATABASE_URL');
  const clickhouseUrl = read('CLICKHOUSE_URL');
  const clickhouseCluster = read('CLICKHOUSE_CLUSTER');
  if (databaseUrl !== undefined && clickhouseUrl === undefined) {
    throw new ConfigError('DATABASE_URL is set, but CLICKHOUSE_URL is not: set both or neither');
  }
  if (clickhouseUrl !== undefined && databaseUrl === undefined) {
    throw new ConfigError('CLICKHOUSE_URL is set, but DATABASE_URL is not: set both or neither');
  }
  if (clickhouseCluster !== undefined && clickhouseUrl === undefined) {
    throw new ConfigError('CLICKHOUSE_CLUSTER is set, but CLICKHOUSE_URL is not');
  }
  return { databaseUrl, clickhouseUrl, clickhouseCluster };
}

function readFirstOwner(environment: Environment, read: Read): Config['firstOwner'] {
  const address = read('ADMIN_EMAIL');
  // Not trimmed: spaces are part of a password.
  const password = environment.ADMIN_PASSWORD || undefined;
  if (address === undefined && password === undefined) return undefined;
  if (address === undefined) throw new ConfigError('ADMIN_PASSWORD is set, but ADMIN_EMAIL is not');
  if (password === undefined) throw new ConfigError('ADMIN_EMAIL is set, but ADMIN_PASSWORD is not');
  return { email: address, password: newPassword(password, 'ADMIN_PASSWORD') };
}

/** The other variables alone turn nothing on: they are often set for all programs of a machine. */
function readTracing(read: Read): TracingConfig | undefined {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS');
  const serviceName = read('OTEL_SERVICE_NAME');
  const share = read('OTEL_TRACES_SAMPLER_ARG');
  return endpoint === undefined ? undefined : { endpoint, headers, serviceName, share };
}

function readOidc(read: Read, environment: Environment): OidcConfig | undefined {
  const issuer = read('OIDC_ISSUER');
  const clientId = read('OIDC_CLIENT_ID');
  const clientSecret = read('OIDC_CLIENT_SECRET');
  const allowedDomains = read('OIDC_ALLOWED_DOMAINS');
  const role = read('OIDC_DEFAULT_ROLE');
  if (issuer === undefined) {
    const others = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ALLOWED_DOMAINS', 'OIDC_DEFAULT_ROLE'];
    const useless = others.find((name) => textOf(environment, name) !== undefined);
    if (useless === undefined) return undefined;
    throw new ConfigError(`${useless} is set, but OIDC_ISSUER is not`);
  }
  if (clientId === undefined) throw new ConfigError('OIDC_ISSUER is set, but OIDC_CLIENT_ID is not');
  if (clientSecret === undefined) throw new ConfigError('OIDC_ISSUER is set, but OIDC_CLIENT_SECRET is not');
  const defaultRole = role === 'none' ? undefined : role;
  return { issuer, clientId, clientSecret, allowedDomains, defaultRole };
}
