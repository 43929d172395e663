/** Days for which new properties keep events, unless they say something else: 25 months. */
export const DEFAULT_RETENTION_DAYS = 761;
