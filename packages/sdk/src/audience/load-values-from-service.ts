import type { AudienceValues } from '@switchyard/core/evaluation/audience';

const FILE = './sdk-audience-values.js';

/** Takes the place of `load-values.ts` in `/sdk-audience.js`, which is beside that file. */
export const loadValues = (): Promise<AudienceValues> => import(/* @vite-ignore */ FILE);
