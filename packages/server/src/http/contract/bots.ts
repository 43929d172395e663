import { createBotCheck } from '@switchyard/core/evaluation/bot-check';
import { list } from 'isbot';
import { LRUCache } from 'lru-cache';

const MAX_AGENTS = 2000;
/** Longer user agents are not cached: browsers send shorter ones. */
const MAX_CACHED_LENGTH = 512;

const checkBot = createBotCheck(list);
const cache = new LRUCache<string, boolean>({ max: MAX_AGENTS });

/** Whether a request comes from a crawler, a link preview or a headless browser. Cached: traffic has few distinct agents. */
export function isBot(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false;
  const cached = cache.get(userAgent);
  if (cached !== undefined) return cached;
  const result = checkBot(userAgent);
  if (userAgent.length <= MAX_CACHED_LENGTH) cache.set(userAgent, result);
  return result;
}
