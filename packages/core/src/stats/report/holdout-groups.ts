/** The groups of the holdout report: visitors who are excluded from all tests, and everybody else. */
export const HELD_OUT = 'held-out' as const;
export const OTHERS = 'others' as const;
