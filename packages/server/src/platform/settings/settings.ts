import {
  bearerToken,
  clickhouseIdentifier,
  clickhouseUrl,
  domains,
  email,
  headers,
  httpUrl,
  integer,
  issuerUrl,
  newPassword,
  oneOf,
  type Parser,
  postgresUrl,
  share,
  text,
  trustedProxies,
} from './setting-parsers.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const OIDC_ROLES = ['none', 'viewer', 'editor', 'admin'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface Setting<T, F> {
  parse: Parser<T>;
  fallback: F;
  /** The default as people write it; empty: none. */
  default: string;
  description: string;
}

const withDefault = <T>(parse: Parser<T>, fallback: T, description: string, shown = String(fallback)) =>
  ({ parse, fallback, default: shown, description }) satisfies Setting<T, T>;

const optional = <T>(parse: Parser<T>, description: string) =>
  ({ parse, fallback: undefined, default: '', description }) satisfies Setting<T, undefined>;

/** Every setting of the server: `serve --help` prints this list, and a test compares docs/operation/settings.md with it. */
export const SETTINGS = {
  HOST: withDefault(
    text,
    '127.0.0.1',
    'Address to listen on. `0.0.0.0` is all IPv4 addresses, `::` all addresses of IPv4 and IPv6, or of IPv4 on a machine without IPv6.',
  ),
  PORT: withDefault(integer(0, 65_535), 8080, 'Port to listen on. `0` picks a free one.'),
  DATA_DIR: withDefault(text, './data', 'Data directory. Only one server can use it.'),
  DATABASE_URL: optional(
    postgresUrl,
    'PostgreSQL database for the configuration, as `postgres://user:password@host:5432/database`, or with several hosts, separated by commas. Set it together with `CLICKHOUSE_URL` to run several nodes. Without both, everything is stored in `DATA_DIR`.',
  ),
  CLICKHOUSE_URL: optional(
    clickhouseUrl,
    'ClickHouse database for the events, as `http://user:password@host:8123/database`.',
  ),
  CLICKHOUSE_CLUSTER: optional(
    clickhouseIdentifier,
    'Name of the ClickHouse cluster: tables are replicated and sharded on its servers.',
  ),
  CLICKHOUSE_MAX_MEMORY: optional(
    integer(64 * 1024 * 1024, 2 ** 50),
    'Max memory that ClickHouse may use for one report, in bytes. Default: 4 GiB.',
  ),
  PROVISION_FILE: optional(text, 'Provision file to apply at every start.'),
  PUBLIC_URL: optional(
    httpUrl,
    'URL under which people reach the server, for links and sign-in. With `https:`, cookies are sent over HTTPS only.',
  ),
  TRUST_PROXY: withDefault<boolean | number | string>(
    trustedProxies,
    false,
    "Number of reverse proxies in front, or their addresses, or `true`: trust their headers for the visitor's IP and country.",
  ),
  LOG_LEVEL: withDefault(
    oneOf(LOG_LEVELS),
    'info',
    '`debug` logs every request; `silent` logs nothing. Keys and bodies are never logged, except new keys, once.',
  ),
  ADMIN_EMAIL: optional(email, 'Email address of the first owner, who is created if there is no owner.'),
  ADMIN_PASSWORD: optional(newPassword, 'Password of the first owner, 12 to 256 characters.'),
  OIDC_ISSUER: optional(
    issuerUrl,
    'OpenID Connect provider to sign in with. Register `PUBLIC_URL` + `/v1/manage/oidc/callback` there.',
  ),
  OIDC_CLIENT_ID: optional(text, 'Client id at the provider.'),
  OIDC_CLIENT_SECRET: optional(text, 'Client secret at the provider.'),
  OIDC_ALLOWED_DOMAINS: withDefault<readonly string[]>(
    domains,
    [],
    'Email domains, separated by commas, whose people get an account when they first sign in. Otherwise only existing accounts can sign in.',
  ),
  OIDC_DEFAULT_ROLE: withDefault(
    oneOf(OIDC_ROLES),
    'none',
    'Role of such accounts in the properties that exist then: `viewer`, `editor`, `admin` or `none`.',
  ),
  RATE_LIMIT_PER_SECOND: withDefault(
    integer(0, 10_000_000),
    5000,
    'Requests per second and API key or account. `0` turns off all rate limits.',
  ),
  RATE_LIMIT_PER_ADDRESS: withDefault(
    integer(0, 10_000_000),
    100,
    'Requests per second and client address (IPv6: per /64) on public-key endpoints and for sign-in, with a burst of five times as many. `0` turns it off.',
  ),
  STREAMS_MAX: withDefault(
    integer(1, 1_000_000),
    10_000,
    'Open streams of changes, of flags and of the management API, at most three quarters of all connections. Further ones get 503.',
  ),
  STREAMS_MAX_PER_KEY: withDefault(
    integer(1, 1_000_000),
    5000,
    'Open streams of one API key, or of one account.',
  ),
  WORKERS: withDefault(
    integer(1, 64),
    1,
    'Processes that serve requests, on the same address and data. More than one uses more cores.',
  ),
  JOURNAL_MAX_BYTES: withDefault(
    integer(1024, 2 ** 40),
    256 * 1024 * 1024,
    'Max size of acknowledged requests that are not in the event store yet, in bytes. When it is reached, writes get 503.',
  ),
  SHUTDOWN_DELAY_SECONDS: withDefault(
    integer(0, 600),
    0,
    'How long the server still serves requests after SIGTERM, while `/readyz` returns 503 and responses close their connections. Behind a load balancer, set it to the time that the balancer takes to notice.',
  ),
  WEBHOOK_ALLOW_PRIVATE: withDefault(
    oneOf(['true', 'false']),
    'false',
    '`true` allows webhooks to this machine and to private networks.',
  ),
  METRICS_TOKEN: optional(
    bearerToken,
    'Bearer token for `/metrics`, at least 16 characters. Without it, `/metrics` only answers on this machine.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    httpUrl,
    'OpenTelemetry collector that gets traces, as JSON over HTTP, such as `http://127.0.0.1:4318`. Without it, nothing is traced.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: withDefault<Readonly<Record<string, string>>>(
    headers,
    {},
    'Headers for the collector, such as `authorization=Bearer%20abc`, separated by commas.',
    '',
  ),
  OTEL_SERVICE_NAME: withDefault(text, 'switchyard', 'Name of this service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: withDefault(
    share,
    1,
    'Share of requests to trace, from `0` to `1`. A request with a `traceparent` header is traced if its sender traces it.',
  ),
};

export type SettingName = keyof typeof SETTINGS;

export type SettingValue<Name extends SettingName> =
  | ReturnType<(typeof SETTINGS)[Name]['parse']>
  | (typeof SETTINGS)[Name]['fallback'];
