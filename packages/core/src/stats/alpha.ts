/** Default of the accepted error rate. */
export const DEFAULT_ALPHA = 0.05;
