import { posix } from 'node:path';

/** A URL relative to a page. The start page is at `/docs`, without a slash at the end. */
export function linkTo(from: string, path: string): string {
  const target = posix.join('/docs', path);
  // Any URL may have no page.
  if (from === '404') return target;
  const directory = posix.dirname(posix.join('/docs', from));
  return posix.join(posix.relative(directory, posix.dirname(target)), posix.basename(target));
}
