import type { Logger } from 'pino';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { changeGuardedRollout, type FoundDecision, type GuardedServices } from './change-guarded-rollout.ts';
import { type GuardedPlace, guardedRollouts } from './guarded-rollouts.ts';

interface Services extends GuardedServices {
  evaluate: (place: GuardedPlace) => Promise<FoundDecision>;
  log: Logger;
  /** Unix milliseconds. */
  now: number;
}

/** The rollouts with guardrails; one whose step is due is looked at anew. */
export function watchedRollouts(
  properties: readonly PropertyConfiguration[],
  { evaluate, log, now, ...services }: Services,
) {
  return guardedRollouts(properties).flatMap((place) => {
    const { property, flag, name, rollout, key } = place;
    const step = rollout.schedule?.[0];
    const isDue = step !== undefined && step.at <= now;
    const isEmpty = rollout.percentage <= 0;
    if (isEmpty && !isDue) return [];
    const about = { propertyId: property.id, ...name };
    const look = async () => {
      const found = isEmpty ? firstStep(step!.percentage) : await evaluate(place);
      const { action } = found.decision;
      if (await changeGuardedRollout(services, place, found))
        log.info({ ...about, action }, 'rollout changed');
    };
    return [{ id: `${flag.id}:${key}`, version: `${flag.version}:${isDue}`, about, look }];
  });
}

/** Whom nobody has, nobody can compare. */
const firstStep = (percentage: number): FoundDecision => ({
  decision: { action: 'go', percentage, reason: 'enough-visitors' },
  words: 'Nobody had it before.',
  harms: [],
  asOf: 0,
});
