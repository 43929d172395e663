import { type ComponentType, lazy } from 'react';

/**
 * A part of a page in a file of its own. It is loaded together with the page, but the page does not wait for it.
 *
 * @example lazyPart(() => import('./flag-table.tsx').then((module) => module.FlagTable))
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>) {
  // If this fails, it is tried again when the part is shown.
  load().catch(() => {});
  return lazy(async () => ({ default: await load() }));
}
