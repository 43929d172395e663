import type { Host } from '../client/host.ts';

/** Takes the place of `load-audiences.ts` in scripts, which are one file. */
export const loadAudiences: Host['loadAudiences'] = (apiUrl) =>
  import(`${apiUrl.replace(/\/+$/, '')}/sdk-audience.js`);
