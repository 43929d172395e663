/** Host and port of an absolute URL; undefined for other texts. The engines have the same expression in SQL. */
const hostOf = (url: string) => /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(url)?.[1]?.toLowerCase();

/** The hosts of a property's own pages, as far as they are configured. */
export function ownHosts({
  allowedOrigins,
}: {
  allowedOrigins: readonly string[] | null;
}): readonly string[] {
  return (allowedOrigins ?? []).flatMap((origin) => hostOf(origin) ?? []);
}

/**
 * The referrer of a page view, unless it is a page of the property itself: one with the host of the viewed page, or with
 * one of the property's own hosts.
 */
export function externalReferrer(
  { url, referrer }: { url: string | null; referrer: string | null },
  hosts: readonly string[] = [],
): string | null {
  if (!referrer) return null;
  const host = hostOf(referrer);
  const isOwn = host !== undefined && [hostOf(url ?? ''), ...hosts].includes(host);
  return isOwn ? null : referrer;
}
