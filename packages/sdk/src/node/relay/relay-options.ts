import type { AnySchema, KeyOf, SwitchyardSchema } from '../../client/schema.ts';
import type { FlagContext } from '../flags/flag-context.ts';
import type { Reporter } from '../reporter.ts';
import { normalizePath } from './relay-path.ts';

/** What pages may reach through the relay. Anything that is not listed is as if it did not exist. */
export interface RelayOptions<Schema extends SwitchyardSchema = AnySchema> {
  /** Keys of the flags whose values pages may read. Default: none. */
  flags?: readonly KeyOf<Schema['flags']>[] | undefined;
  /** Ids of the feedback types that pages may submit. Default: none. */
  feedback?: readonly KeyOf<Schema['feedbackTypes']>[] | undefined;
  /** Ids of the goals that pages may increment, with any amount. Default: none. */
  goals?: readonly KeyOf<Schema['goals']>[] | undefined;
  /**
   * The path at which pages reach the relay. Default: where Express or Fastify mounts it; otherwise `/sy`.
   *
   * @example path: '/api/sy'
   */
  path?: string | undefined;
  /** Whether the relay forwards split tests, exposures, page views and events. Default: true. */
  events?: boolean | undefined;
  /**
   * What your server knows about the visitor, for evaluating flags. It takes precedence over cookies and attributes.
   *
   * @example context: (request) => ({ userId: request.user?.id })
   */
  context?(request: unknown): FlagContext | undefined | Promise<FlagContext | undefined>;
  /** Names of the attributes that the page itself may set for evaluating flags. Default: none. */
  attributes?: readonly string[] | undefined;
  /** The IP address of the visitor. Default: `request.ip` of Express and Fastify, else the address of the connection. */
  clientAddress?(request: unknown): string | undefined;
  /**
   * Whether a proxy sets or removes the country headers of requests, such as `CF-IPCountry`; otherwise visitors could
   * choose their country. Default: whether Express or Fastify took the address from a proxy that it trusts.
   */
  trustCountryHeaders?: boolean | undefined;
  /** Origins of your pages, e.g. `https://shop.example`; needed only behind proxies that change the `Host` header. */
  origins?: readonly string[] | undefined;
  limits?: RelayLimits | undefined;
}

export interface RelayLimits {
  /**
   * Requests per second and client address, with a burst of five seconds; ten times as many for all requests without a
   * known address together. Default: 100; 0: no limit.
   */
  perAddress?: number | undefined;
  /** Requests per second and session, with a burst of five seconds. Default: 20; 0: no limit. */
  perSession?: number | undefined;
  /** Max number of forwarded events, and of flag evaluations, that are handled at the same time. Default: 256. */
  concurrency?: number | undefined;
}

/** The validated options, with defaults. */
export interface RelaySettings {
  flags: string[];
  feedback: ReadonlySet<string>;
  goals: ReadonlySet<string>;
  path: string | undefined;
  events: boolean;
  context: RelayOptions['context'];
  attributes: string[];
  clientAddress: RelayOptions['clientAddress'];
  trustCountryHeaders: boolean | undefined;
  origins: ReadonlySet<string>;
  limits: { perAddress: number; perSession: number; concurrency: number };
}

/** Only the cookies and the server may say who the visitor is. */
const IDENTITY = ['targetingKey', 'userId', 'email', 'visitorId', 'sessionId'];

export function readRelayOptions(input: RelayOptions | undefined, reporter: Reporter): RelaySettings {
  const options: RelayOptions = typeof input === 'object' && input !== null ? input : {};
  const list = (name: 'flags' | 'feedback' | 'goals' | 'attributes' | 'origins'): string[] => {
    const value: unknown = options[name] ?? [];
    if (Array.isArray(value)) return [...new Set(value.map(String))];
    reporter.misuse(`\`${name}\` of the relay must be an array of strings.`);
    return [];
  };
  const attributes = list('attributes').filter((name) => {
    if (!IDENTITY.includes(name)) return true;
    reporter.misuse(`The relay never takes \`${name}\` from a page. Return it from \`context\` instead.`);
    return false;
  });
  const { limits, path, trustCountryHeaders: trust } = options;
  if (path !== undefined && typeof path !== 'string') {
    reporter.misuse('`path` of the relay must be a string, such as `/sy`.');
  }
  return {
    flags: list('flags'),
    feedback: new Set(list('feedback')),
    goals: new Set(list('goals')),
    path: typeof path === 'string' ? normalizePath(path) : undefined,
    events: options.events !== false,
    context: callback(options.context),
    attributes,
    clientAddress: callback(options.clientAddress),
    trustCountryHeaders: typeof trust === 'boolean' ? trust : undefined,
    origins: new Set(list('origins').map(originOf)),
    limits: {
      perAddress: limitOf(limits?.perAddress, 100),
      perSession: limitOf(limits?.perSession, 20),
      concurrency: Math.max(1, limitOf(limits?.concurrency, 256)),
    },
  };
}

const callback = <T>(value: T | undefined): T | undefined =>
  typeof value === 'function' ? value : undefined;

const limitOf = (value: unknown, defaultValue: number): number =>
  typeof value === 'number' && value >= 0 ? value : defaultValue;

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return url;
  }
}
