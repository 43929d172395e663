import type { MeasuredRule } from '@switchyard/core/lifecycle/measured-rule';
import type { Database } from '../../configuration/database/database.ts';

/** By the id of the configuration, in the order of the rules. */
export async function measuredByConfiguration(
  database: Database,
  propertyId: string,
): Promise<Map<string, MeasuredRule[]>> {
  const rows = await database
    .selectFrom('measured_rules')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  const byConfiguration = new Map<string, MeasuredRule[]>();
  for (const row of rows) {
    const measured = {
      ruleId: row.rule_id,
      measure: JSON.parse(row.measure),
      winner: row.winner,
      phases: JSON.parse(row.phases),
      ...(row.plan !== null && { plan: JSON.parse(row.plan) }),
    };
    byConfiguration.set(row.configuration_id, [
      ...(byConfiguration.get(row.configuration_id) ?? []),
      measured,
    ]);
  }
  return byConfiguration;
}

/** Replaces those of a configuration. */
export async function saveMeasuredRules(
  database: Database,
  propertyId: string,
  configurationId: string,
  measured: readonly MeasuredRule[],
): Promise<void> {
  await database.deleteFrom('measured_rules').where('configuration_id', '=', configurationId).execute();
  const rows = measured.map(({ ruleId, measure, winner, phases, plan }, position) => ({
    configuration_id: configurationId,
    rule_id: ruleId,
    property_id: propertyId,
    position,
    measure: JSON.stringify(measure),
    winner,
    phases: JSON.stringify(phases),
    plan: plan === undefined ? null : JSON.stringify(plan),
  }));
  if (rows.length > 0) await database.insertInto('measured_rules').values(rows).execute();
}
