/** The path of a page without its origin; as it is if it is not a URL. */
export function pagePath(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return url;
  }
}
