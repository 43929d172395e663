/** Names that reports use; `sy_` and the key of a test are a preview link. */
const REPORTED = /^(utm_\w+|sy_.+|ref|source)$/i;
/** Ids of clicks on advertisements: reports need to know that there was one, not which. */
const CLICK_ID = /^(gclid|[gw]braid|dclid|fbclid|msclkid|ttclid|twclid|yclid|li_fat_id)$/i;

/**
 * The parameters of a query that may be recorded: those that reports use, and those that are allowed by name. The value
 * of a click id becomes `1`, and a URL in a value loses its own parameters.
 */
export function cleanParameters(
  query: string,
  allowed: readonly string[],
  onRemoved?: (name: string) => void,
): string {
  const kept: string[] = [];
  for (const pair of query.replaceAll(';', '&').split('&')) {
    const name = pair.split('=', 1)[0]!;
    if (REPORTED.test(name) || allowed.includes(name)) kept.push(pair.replace(/(\?|%3f).*/is, ''));
    else if (CLICK_ID.test(name)) kept.push(`${name}=1`);
    else if (pair) onRemoved?.(name);
  }
  return kept.join('&');
}
