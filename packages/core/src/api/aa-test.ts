import type { Static } from 'typebox';
import { oneOf } from './common.ts';

/** The setting of a property. */
export const AaTestMode = oneOf(['off', 'assignment', 'exposures'], {
  description:
    'Built-in A/A test. `assignment`: visitors are assigned while they are counted, without any events. `exposures`: the split test `aa-test` is published and its exposures are counted. Default: `assignment`',
});
export type AaTestMode = Static<typeof AaTestMode>;
