import type { Bots } from '@switchyard/core/api/common';

/** The condition of a query of the event store: crawlers only, or everybody else; none for both. */
export const botFilter = (bots: Bots): { bot?: boolean } =>
  bots === 'include' ? {} : { bot: bots === 'only' };
