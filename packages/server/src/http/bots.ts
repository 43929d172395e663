import { createBotCheck } from '@switchyard/core/evaluation/bots';
import { list } from 'isbot';
import { LRUCache } from 'lru-cache';

const MAX_AGENTS = 2000;
/** Browsers have shorter ones; longer ones would only fill the cache. */
const MAX_CHARACTERS = 512;

const checkBot = createBotCheck(list);
const known = new LRUCache<string, boolean>({ max: MAX_AGENTS });

/** Whether a request comes from a crawler, a preview or a headless browser; few distinct agents make up the traffic. */
export function isBot(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false;
  const cached = known.get(userAgent);
  if (cached !== undefined) return cached;
  const result = checkBot(userAgent);
  if (userAgent.length <= MAX_CHARACTERS) known.set(userAgent, result);
  return result;
}
