/**
 * Random histories, played over HTTP with a stopped clock, and a naive analysis of the list of events that shares no
 * code with the product: all numbers agree to 1e-9.
 *
 * `E2E_SEED=… npx vitest run e2e/truth.test.ts` repeats a run. `TRUTH_HISTORIES` (default: 5; on ClickHouse 1) is the
 * number of histories, and `TRUTH_MOMENTS` (default: 220) their size.
 */

import { WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, enginesForTest } from './support/engines.ts';
import { metric, until } from './support/nodes.ts';
import { SeededRandom } from './support/random.ts';
import { disagreements } from './truth/check.ts';
import { DAY_MS } from './truth/history.ts';
import { Player } from './truth/player.ts';
import { countEvents, HISTORY_DAYS, randomHistory } from './truth/random-history.ts';
import type { Profile } from './truth/random-setup.ts';

const PROFILES: Profile[] = [
  // Without CUPED, intervals and p-values are compared too.
  { name: 'phases', cuped: false, winsorize: false, engine: 'frequentist' },
  { name: 'covariates', cuped: true, winsorize: false, unit: 'visitor' },
  { name: 'users', cuped: true, winsorize: true, unit: 'user' },
  { name: 'caps', cuped: false, winsorize: true, engine: 'sequential' },
  { name: 'anything' },
];
/** A Monday, for the first history; the next ones follow, because the clock of the server never goes back. */
const BEGIN = Date.UTC(2030, 0, 7);
const MOMENTS = Number(process.env.TRUTH_MOMENTS ?? 220);
/** Shares of a history after which everything is compared: also with tests that run, and with counts that are kept. */
const CHECKPOINTS = [0.55, 1];
/** Against hanging only: an emulated engine on a busy machine takes half a minute for a report. */
const TIMEOUT_MS = 3_600_000;

const histories = (standard: number) => Number(process.env.TRUTH_HISTORIES ?? standard);
const engines = enginesForTest().map((engine) => {
  // The server answers with late figures if the engine is slow, so a test waits until everything is stored.
  const isRemote = engine.name === 'ClickHouse';
  return { ...engine, isRemote, histories: histories(isRemote ? 1 : 5) };
});

describe.each(engines)(
  'on $name, all numbers are those of the list of events',
  ({ open, histories, isRemote }) => {
    const random = SeededRandom.forThisRun('truth');
    const clock = new AdjustableClock();
    let server: TestServer | undefined;
    let databases: Awaited<ReturnType<Engine['open']>> | undefined;
    beforeAll(async () => {
      databases = await open();
      clock.freeze(BEGIN - DAY_MS);
      server = await startServer({ env: { ...WITH_OWNER, ...databases.env }, wrap: clock.wrap });
    });
    afterAll(async () => {
      await discard(server);
      await databases?.close();
    });

    const plays = Array.from({ length: histories }, (_, index) => ({
      index,
      seed: random.between(1, 2 ** 31),
      profile: PROFILES[index % PROFILES.length]!,
      start: BEGIN + index * (HISTORY_DAYS + 2) * DAY_MS,
    }));

    const title = 'history $index with seed $seed: $profile.name';
    test.each(plays)(title, { timeout: TIMEOUT_MS }, async ({ index, ...options }) => {
      const history = randomHistory({ propertyId: `truth-${index}`, moments: MOMENTS, ...options });
      const player = new Player(server!, clock, history);
      await player.prepare(options.start - 1);
      for (const share of CHECKPOINTS) {
        const now = options.start + Math.round(share * HISTORY_DAYS * DAY_MS);
        await player.playUntil(now);
        if (isRemote)
          await until(async () => (await metric(server!, 'switchyard_journal_lag_requests')) === 0);
        const found = await disagreements(player, history, now, share === 1);
        const where = `${countEvents(history)} events, ${share} of the time: ${found.length} disagreements`;
        expect(found.slice(0, 40), where).toEqual([]);
      }
      player.close();
    });
  },
);
