import { parseTime, TIME_HINT } from '../../configuration/definitions/parse-time.ts';
import type { PastConfiguration } from '../../configuration/history/history-state.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';

/** The moment that a request names. */
export function momentOf(at: string | number): number {
  const text = typeof at === 'string' && /^\d+$/.test(at) ? Number(at) : at;
  const moment = parseTime(text);
  if (moment === undefined) throw invalidField('/at', TIME_HINT);
  if (moment > Date.now()) throw invalidField('/at', 'must not be in the future');
  return moment;
}

/** The configuration that was in force at a moment, from the history; rebuilt on another thread. */
export type PastConfigurations = (
  propertyId: string,
  moment: number,
) => Promise<PastConfiguration | undefined>;

/** Refuses a moment of which the configuration is not known. */
export async function configurationOfMoment(
  pastConfiguration: PastConfigurations,
  propertyId: string,
  moment: number,
): Promise<PastConfiguration> {
  const configuration = await pastConfiguration(propertyId, moment);
  if (configuration !== undefined) return configuration;
  const message = `The configuration of ${new Date(moment).toISOString()} is not known: the property did not exist, or its history begins later.`;
  throw new ApiError('not_found', { message });
}
