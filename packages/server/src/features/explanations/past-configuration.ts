import { type DatabaseSource, readDatabase } from '../../configuration/database/open-database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { configurationAt } from '../../configuration/history/configuration-at.ts';

/** A question that the serving thread sends to the report thread. */
export interface PastConfigurationRequest {
  type: 'past-configuration';
  source: DatabaseSource;
  propertyId: string;
  moment: number;
}

/** The configuration that was in force at a moment, or null, as JSON. Runs on the report thread. */
export async function pastConfiguration(
  model: ConfigurationModel,
  { source, propertyId, moment }: PastConfigurationRequest,
): Promise<{ contentType: string; text: string }> {
  const found = await readDatabase(source, (database) =>
    configurationAt(database, model, propertyId, moment),
  );
  return { contentType: 'application/json; charset=utf-8', text: JSON.stringify(found ?? null) };
}
