import type { MeasuredRuleName } from '../api/results.ts';

/** No split test has such a key, so nobody can send exposures for it. */
const PREFIX = 'flag:';

/**
 * What exposures to a measured rule are stored under.
 *
 * @example measuredKey({ flagKey: 'checkout', environment: 'production', ruleId: 'half' }) // 'flag:checkout/production/half'
 */
export const measuredKey = ({ flagKey, environment, ruleId }: MeasuredRuleName): string =>
  PREFIX + [flagKey, environment, ruleId].map(encoded).join('/');

/** Half an emoji cannot be encoded. */
const encoded = (name: string) => encodeURIComponent(name.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}'));
