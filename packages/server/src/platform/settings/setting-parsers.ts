import { isIP } from 'node:net';
import { isEmail } from '@switchyard/core/api/email-format';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@switchyard/core/api/limits/password-limits';
import { serverUrls } from './server-urls.ts';

/** An invalid setting; the message names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Parser<T> = (text: string, name: string) => T;

export const text: Parser<string> = (value) => value;

export const integer =
  (minimum: number, maximum: number): Parser<number> =>
  (value, name) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
    throw new ConfigError(`${name} must be a whole number from ${minimum} to ${maximum}, not "${value}"`);
  };

export const share: Parser<number> = (value, name) => {
  const number = Number(value);
  if (/^\d*\.?\d+$/.test(value) && number <= 1) return number;
  throw new ConfigError(`${name} must be a number from 0 to 1, not "${value}"`);
};

export const oneOf =
  <T extends string>(allowed: readonly T[]): Parser<T> =>
  (value, name) => {
    const found = allowed.find((candidate) => candidate === value.toLowerCase());
    if (found !== undefined) return found;
    throw new ConfigError(`${name} must be one of ${allowed.join(', ')}, not "${value}"`);
  };

export const httpUrl: Parser<string> = (value, name) => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new ConfigError(`${name} must be a URL such as https://switchyard.example, not "${value}"`);
  }
  return value.replace(/\/+$/, '');
};

const MIN_TOKEN_LENGTH = 16;

/** The message omits the value: it is a secret, and messages end up in logs. */
export const bearerToken: Parser<string> = (value, name) => {
  if (new RegExp(`^[\\w.~+/=-]{${MIN_TOKEN_LENGTH},}$`).test(value)) return value;
  throw new ConfigError(
    `${name} must have at least ${MIN_TOKEN_LENGTH} characters from A-Z a-z 0-9 . _ ~ + / = -`,
  );
};

export const trustedProxies: Parser<boolean | number | string> = (value, name) => {
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

export const email: Parser<string> = (value, name) => {
  if (isEmail(value)) return value.toLowerCase();
  throw new ConfigError(`${name} must be an email address, not "${value}"`);
};

/** The message omits the value. */
export const newPassword: Parser<string> = (value, name) => {
  const length = [...value].length;
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return value;
  throw new ConfigError(
    `${name} must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; it has ${length}`,
  );
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Tokens of the provider must not cross a network in plain text. */
export const issuerUrl: Parser<string> = (value, name) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = url?.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return value;
  throw new ConfigError(`${name} must be an https URL such as https://accounts.example.com, not "${value}"`);
};

export const domains: Parser<readonly string[]> = (value, name) => {
  const list = value.split(',').map((domain) => domain.trim().toLowerCase());
  if (list.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain))) return list;
  throw new ConfigError(`${name} must be a comma-separated list of domains, not "${value}"`);
};

/** As OpenTelemetry writes them: `name=value,name=value`, values percent-encoded. The message omits them: they may be secrets. */
export const headers: Parser<Readonly<Record<string, string>>> = (value, name) => {
  const pairs = value.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    const entries = pairs.map((pair) => [pair![1]!.toLowerCase(), decodeURIComponent(pair![2]!)] as const);
    if (entries.every(([, text]) => /^[\t\x20-\x7e]*$/.test(text))) return Object.fromEntries(entries);
  } catch {
    // A pair without `=`, or invalid percent encoding.
  }
  throw new ConfigError(`${name} must be pairs such as name=value, separated by commas, with encoded values`);
};

/** The message omits the value: it may contain a password. */
export const postgresUrl: Parser<string> = (value, name) => {
  if (serverUrls(value) !== undefined) return value;
  throw new ConfigError(
    `${name} must be a URL such as postgres://user:password@host:5432/switchyard, with one or several hosts. ` +
      'If present, sslmode must be disable, prefer, require, verify-ca or verify-full, and target_session_attrs any, ' +
      'read-write or primary',
  );
};

/** The message omits the value: it may contain a password. */
export const clickhouseUrl: Parser<string> = (value, name) => {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new ConfigError(`${name} must be a URL such as http://user:password@host:8123/switchyard`);
};

export const clickhouseIdentifier: Parser<string> = (value, name) => {
  if (/^[A-Za-z_][\w-]{0,63}$/.test(value)) return value;
  throw new ConfigError(`${name} must have letters, digits, _ and - only, not "${value}"`);
};
