/** Such as "Median", "90th percentile" or "99.9th percentile". */
export function quantileName(quantile: number): string {
  if (quantile === 0.5) return 'Median';
  const percentile = String(Number((100 * quantile).toFixed(4)));
  return `${percentile}${ending(percentile)} percentile`;
}

function ending(number: string): string {
  if (/1[1-3]$/.test(number)) return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[number.at(-1) ?? ''] ?? 'th';
}
