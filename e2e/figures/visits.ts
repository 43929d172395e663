/** The vocabulary of random visits: what is sent and when. No code of the product. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** User agents, and what the service makes of them. */
export const AGENTS = {
  laptop: {
    header: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
    client: { device: 'desktop', browser: 'Firefox', os: 'Linux' },
  },
  phone: {
    header:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    client: { device: 'mobile', browser: 'Safari', os: 'iOS' },
  },
  unknown: { header: '', client: { device: 'unknown', browser: 'unknown', os: 'unknown' } },
  crawler: {
    header: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    client: { device: 'bot', browser: 'Googlebot', os: 'unknown' },
  },
} as const;
export type AgentName = keyof typeof AGENTS;

export const GOALS = [
  { id: 'signup', kind: 'count' },
  { id: 'order', kind: 'revenue' },
] as const;
export type GoalId = (typeof GOALS)[number]['id'];

export const SPLIT_TEST = 'hero';
export const VARIATIONS = ['control', 'b'] as const;
export const FEEDBACK_TYPE = 'rating';
export const OPTIONS = ['good', 'bad'] as const;

export interface PageEvent {
  type: 'pageview' | 'event';
  name?: string;
  url?: string;
  referrer?: string;
  /** By the client's clock. */
  timestamp?: number;
}

export interface Collect {
  kind: 'collect';
  agent: AgentName;
  sessionId: string;
  visitorId: string;
  userId?: string;
  country?: string;
  events: PageEvent[];
}

interface Exposure {
  kind: 'exposure';
  agent: AgentName;
  sessionId: string;
  variationKey: string;
}

interface Conversion {
  kind: 'conversion';
  goalId: GoalId;
  sessionId?: string;
  direction: 1 | -1;
  /** Integer millionths of a dollar. */
  micros: number;
  metadata?: Record<string, string>;
}

interface Answer {
  kind: 'answer';
  sessionId?: string;
  option: string;
  message?: string;
  metadata?: Record<string, string>;
}

export type VisitRequest = Collect | Exposure | Conversion | Answer;

/** A request and the server's time at which it is sent. */
export interface Moment {
  at: number;
  request: VisitRequest;
}

/** Whose data is erased. */
export type Subject =
  | { sessionId: string }
  | { visitorId: string }
  | { userId: string }
  | { metadata: { key: string; value: string } };
