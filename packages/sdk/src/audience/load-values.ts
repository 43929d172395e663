import type { AudienceValues } from '@switchyard/core/evaluation/audience';

/** A file of its own, also for bundlers. */
export const loadValues = (): Promise<AudienceValues> => import('./audience-values.ts');
