import { createContext, useContext } from 'react';
import { useProperty } from '../configuration/property-context.tsx';
import { findMeasuredTest, type MeasuredTest } from './measured-tests.ts';

/** Whose rules are edited. */
export const FlagPlace = createContext<{ flagKey: string; environment: string } | undefined>(undefined);

/** The results of a rule of this flag, as it is saved; undefined if it was never measured. */
export function useMeasuredTest(ruleId: string): MeasuredTest | undefined {
  const { configuration } = useProperty();
  const place = useContext(FlagPlace);
  return place && findMeasuredTest(configuration, place.flagKey, place.environment, ruleId);
}
