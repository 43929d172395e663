import type { Host } from '../client/host.ts';

/** A file of its own, also for bundlers. */
export const loadAudiences: Host['loadAudiences'] = () => import('../audience/page-audiences.ts');
