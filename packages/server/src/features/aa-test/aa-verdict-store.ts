import type { AaTestMode } from '@switchyard/core/api/aa-test';
import type { AaVerdict } from '@switchyard/core/stats/report/aa-verdict';
import type { Selectable } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';

/** Verdicts are kept for two years. */
const KEPT_DAYS = 730;

/** The verdict on a round at the end of a day. */
export interface DailyVerdict extends AaVerdict {
  /** The last day that was counted, in days since the Unix epoch. */
  day: number;
  round: number;
  mode: Exclude<AaTestMode, 'off'>;
}

/** Stores the verdict of a day, unless there is one, and deletes old ones. */
export async function saveVerdict(
  database: Database,
  propertyId: string,
  { day, round, mode, verdict, words, visitors, splitPValue, goals }: DailyVerdict,
): Promise<void> {
  await database
    .insertInto('aa_verdicts')
    .values({
      property_id: propertyId,
      day,
      round,
      mode,
      verdict,
      words,
      visitors_a: visitors[0] ?? 0,
      visitors_b: visitors[1] ?? 0,
      split_p_value: splitPValue,
      goals: JSON.stringify(goals),
    })
    .onConflict((conflict) => conflict.columns(['property_id', 'day']).doNothing())
    .execute();
  await database
    .deleteFrom('aa_verdicts')
    .where('property_id', '=', propertyId)
    .where('day', '<=', day - KEPT_DAYS)
    .execute();
}

/** Day and verdict of the latest evaluation of each property. */
export function latestVerdicts(
  database: Database,
): Promise<{ propertyId: string; day: number; verdict: AaVerdict['verdict'] }[]> {
  return database
    .selectFrom('aa_verdicts as each')
    .select(['property_id as propertyId', 'day', 'verdict'])
    .where(({ eb, selectFrom }) =>
      eb(
        'day',
        '=',
        selectFrom('aa_verdicts as all')
          .select((select) => select.fn.max('all.day').as('last'))
          .whereRef('all.property_id', '=', 'each.property_id'),
      ),
    )
    .execute();
}

/** Newest first. */
export async function listVerdicts(
  database: Database,
  propertyId: string,
  limit: number,
): Promise<DailyVerdict[]> {
  const rows = await database
    .selectFrom('aa_verdicts')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('day', 'desc')
    .limit(limit)
    .execute();
  return rows.map(verdictOf);
}

/** The last verdict of each round, and its number of days with an alarm; newest first. */
export async function listRounds(
  database: Database,
  propertyId: string,
): Promise<(DailyVerdict & { alarmDays: number })[]> {
  const rounds = database
    .selectFrom('aa_verdicts')
    .select(({ fn }) => [
      fn.max('day').as('last'),
      fn.sum<number>(({ eb }) => eb.case().when('verdict', '=', 'alarm').then(1).else(0).end()).as('alarms'),
    ])
    .where('property_id', '=', propertyId)
    .groupBy('round');
  const rows = await database
    .selectFrom('aa_verdicts')
    .innerJoin(rounds.as('rounds'), 'rounds.last', 'aa_verdicts.day')
    .selectAll('aa_verdicts')
    .select('rounds.alarms')
    .where('property_id', '=', propertyId)
    .orderBy('day', 'desc')
    .execute();
  return rows.map((row) => ({ ...verdictOf(row), alarmDays: Number(row.alarms) }));
}

function verdictOf(row: Selectable<DatabaseTables['aa_verdicts']>): DailyVerdict {
  const { day, round, mode, verdict, words } = row;
  return {
    day,
    round,
    mode,
    verdict,
    words,
    visitors: [Number(row.visitors_a), Number(row.visitors_b)],
    splitPValue: row.split_p_value,
    goals: JSON.parse(row.goals),
  };
}
