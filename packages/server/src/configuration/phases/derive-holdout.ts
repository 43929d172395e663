import type { HoldoutPeriod, PropertyConfiguration } from '../property/property-configuration.ts';

/** Starts and ends the period of the holdout to match the settings; the same object if nothing changes. */
export function deriveHoldout(
  previous: PropertyConfiguration | undefined,
  property: PropertyConfiguration,
  at: number,
): PropertyConfiguration {
  const holdoutPeriod = periodOf(previous, property, at);
  return holdoutPeriod === property.holdoutPeriod ? property : { ...property, holdoutPeriod };
}

function periodOf(
  previous: PropertyConfiguration | undefined,
  { holdout, hashSeed }: PropertyConfiguration,
  at: number,
): HoldoutPeriod | null {
  if (holdout === 0) return null;
  const period = previous?.holdoutPeriod ?? null;
  // A smaller holdout only releases visitors: the others have been held out all the time.
  const continues = period !== null && previous?.hashSeed === hashSeed && holdout <= previous.holdout;
  return continues ? period : { since: at, largest: holdout };
}
