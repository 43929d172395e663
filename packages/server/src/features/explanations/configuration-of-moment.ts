import { ApiError, invalidField } from '../../errors.ts';
import { parseTime, TIME_HINT } from '../../storage/changes/parse-time.ts';
import type { Database } from '../../storage/database.ts';
import { configurationAt } from '../../storage/history/configuration-at.ts';
import type { PastConfiguration } from '../../storage/history/history-state.ts';

/** The moment that a request names. */
export function momentOf(at: string | number): number {
  const text = typeof at === 'string' && /^\d+$/.test(at) ? Number(at) : at;
  const moment = parseTime(text);
  if (moment === undefined) throw invalidField('/at', TIME_HINT);
  if (moment > Date.now()) throw invalidField('/at', 'must not be in the future');
  return moment;
}

/** The configuration that was in force at a moment, from the history. */
export async function configurationOfMoment(
  database: Database,
  propertyId: string,
  moment: number,
): Promise<PastConfiguration> {
  const configuration = await configurationAt(database, propertyId, moment);
  if (configuration !== undefined) return configuration;
  const message = `The configuration of ${new Date(moment).toISOString()} is not known: the property did not exist, or its history begins later.`;
  throw new ApiError('not_found', { message });
}
