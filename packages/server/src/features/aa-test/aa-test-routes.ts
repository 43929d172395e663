import { AaTest, AaTestQuery } from '@switchyard/core/api/aa-test';
import { aaRound, aaRoundAt } from '@switchyard/core/lifecycle/aa-test';
import { aaSummary } from '@switchyard/core/stats/words/aa-words';
import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { type DailyVerdict, listRounds, listVerdicts } from './aa-verdict-store.ts';

const MAX_DAYS = 400;

interface Dependencies {
  auth: Authentication;
  database: Database;
}

export function registerAaTestRoutes(api: ApiRoutes, { auth, database }: Dependencies): void {
  api.get<{ Querystring: AaTestQuery }>(
    '/v1/split-testing/aa-test',
    {
      tag: 'Split testing',
      summary: 'Verdicts of the built-in A/A test',
      description:
        'Every round of 28 days splits the visitors into two groups that are treated alike: any difference is an error in assignment, tracking or statistics, or chance. Evaluated daily after midnight UTC.',
      key: 'secret',
      members: true,
      querystring: AaTestQuery,
      responses: {
        200: { ...AaTest, description: 'The current round, the last 400 days, and the rounds of two years' },
      },
      errors: ['wrong_property', 'database_unavailable'],
    },
    (request) => response(database, auth.property(request, request.query.propertyId), Date.now()),
  );
}

async function response(
  database: Database,
  { id, aaTest: mode }: PropertyConfiguration,
  now: number,
): Promise<AaTest> {
  const current = aaRoundAt(now);
  const [history, verdicts] = await Promise.all([
    listVerdicts(database, id, MAX_DAYS),
    listRounds(database, id),
  ]);
  const rounds = verdicts.map(({ round: number, verdict, words, visitors, alarmDays }) => ({
    ...aaRound(number),
    finished: number < current.number,
    verdict,
    words,
    visitors: [...visitors],
    alarmDays,
  }));
  const finished = rounds.filter((round) => round.finished);
  return {
    mode,
    round: current,
    current: history[0] === undefined ? null : evaluationOf(history[0]),
    rounds,
    history: history.map(evaluationOf),
    summary: aaSummary(finished.map(({ verdict }) => verdict)),
  };
}

function evaluationOf({
  day,
  round,
  mode,
  visitors,
  goals,
  ...verdict
}: DailyVerdict): AaTest['history'][number] {
  return {
    at: (day + 1) * DAY_MS,
    round,
    mode,
    ...verdict,
    visitors: [...visitors],
    goals: goals.map((goal) => ({ ...goal })),
  };
}
