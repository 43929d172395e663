const DEFAULT_PATH = '/sy';

/** Members that Express and Connect set, because they remove the mount path from `url`. */
export interface MountedRequest {
  url?: string | undefined;
  baseUrl?: unknown;
  originalUrl?: unknown;
}

/** Where a request goes. */
export interface Location {
  /** The whole path, without the query. */
  readonly path: string;
  /** The start of the path at which the framework mounted the relay; `undefined` if it did not. */
  readonly mount: string | undefined;
}

export function locationOf({ url = '', baseUrl, originalUrl }: MountedRequest): Location {
  const rest = withoutQuery(url);
  if (typeof baseUrl === 'string') return { path: baseUrl + rest, mount: baseUrl || undefined };
  const path = typeof originalUrl === 'string' ? withoutQuery(originalUrl) : rest;
  const isMounted = path !== rest && path.endsWith(rest);
  return { path, mount: isMounted ? path.slice(0, -rest.length) : undefined };
}

/** A prefix can have parameters, so as many segments of the path belong to it. */
export function locationBelow(prefix: string, url: string): Location {
  const path = withoutQuery(url);
  const segments = withoutSlash(prefix).split('/').length;
  return { path, mount: path.split('/').slice(0, segments).join('/') || undefined };
}

/** The path of a route, such as `v1/flags/evaluate`; `undefined` if the request is not for the relay. */
export function routeOf({ path, mount }: Location, given: string | undefined): string | undefined {
  const base = `${given ?? withoutSlash(mount ?? DEFAULT_PATH)}/`;
  return path.startsWith(base) ? path.slice(base.length).replace(/^\/+/, '') : undefined;
}

/** Where a framework without a mount path expects the relay. */
export const pathOf = (given: string | undefined): string => given ?? DEFAULT_PATH;

/** The path of an option: `/sy/` and `sy` mean `/sy`, and `/` means the root. */
export function normalizePath(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return trimmed && `/${trimmed}`;
}

const withoutQuery = (url: string): string => url.split('?', 1)[0]!;

const withoutSlash = (path: string): string => path.replace(/\/+$/, '');
