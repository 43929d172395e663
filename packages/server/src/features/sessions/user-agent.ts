import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { BOT_DEVICE } from '../../events/store/accepted-request.ts';
import { isBot } from '../../http/contract/bots.ts';

export interface ClientSoftware {
  device: string;
  browser: string;
  os: string;
}

const UNKNOWN: ClientSoftware = { device: 'unknown', browser: 'unknown', os: 'unknown' };
const MAX_AGENTS = 2000;
/** Longer user agents are not worth the time to parse them. */
const MAX_CHARACTERS = 512;

const cache = new LRUCache<string, ClientSoftware>({ max: MAX_AGENTS });

/** Cached, because parsing takes tens of microseconds and most traffic comes from few distinct user agents. */
export function parseUserAgent(userAgent: string | undefined): ClientSoftware {
  if (userAgent === undefined || userAgent === '' || userAgent.length > MAX_CHARACTERS) return UNKNOWN;
  let software = cache.get(userAgent);
  if (software === undefined) {
    const { platform, browser, os } = Bowser.parse(userAgent);
    software = {
      device: isBot(userAgent) ? BOT_DEVICE : platform.type || 'unknown',
      browser: browser.name || 'unknown',
      os: os.name || 'unknown',
    };
    cache.set(userAgent, software);
  }
  return software;
}
