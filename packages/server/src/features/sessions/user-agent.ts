import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { isBot } from '../../http/bots.ts';

export interface ClientSoftware {
  device: string;
  browser: string;
  os: string;
}

const UNKNOWN: ClientSoftware = { device: 'unknown', browser: 'unknown', os: 'unknown' };
const MAX_AGENTS = 2000;
/** Longer ones are not worth the time it takes to match them. */
const MAX_CHARACTERS = 512;

const known = new LRUCache<string, ClientSoftware>({ max: MAX_AGENTS });

/** Parsing costs tens of microseconds and few distinct agents make up the traffic, so answers are kept. */
export function parseUserAgent(userAgent: string | undefined): ClientSoftware {
  if (userAgent === undefined || userAgent === '' || userAgent.length > MAX_CHARACTERS) return UNKNOWN;
  let software = known.get(userAgent);
  if (software === undefined) {
    const { platform, browser, os } = Bowser.parse(userAgent);
    software = {
      device: isBot(userAgent) ? 'bot' : platform.type || 'unknown',
      browser: browser.name || 'unknown',
      os: os.name || 'unknown',
    };
    known.set(userAgent, software);
  }
  return software;
}
