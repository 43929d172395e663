/**
 * Random visits, played over HTTP with a stopped clock, and a naive analysis of the list of events that shares no code
 * with the product: traffic, goals, sessions and feedback agree, also after retention, erasure and kill -9.
 *
 * `E2E_SEED=… npx vitest run e2e/figures.test.ts` repeats a run. `FIGURES_VISITS` is the number of visits.
 */

import { WITH_OWNER } from '@switchyard/testing/server/browser';
import { storedTraces } from '@switchyard/testing/server/stored-traces';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FigureCheck } from './figures/check-figures.ts';
import { LocalDays } from './figures/local-days.ts';
import { randomVisits } from './figures/random-visits.ts';
import { VisitLog } from './figures/visit-log.ts';
import { VisitPlayer } from './figures/visit-player.ts';
import { DAY_MS, HOUR_MS, type Subject } from './figures/visits.ts';
import { type Engine, enginesForTest } from './support/engines.ts';
import { SeededRandom } from './support/random.ts';

/** Clocks change in Berlin on March 31, and not in Kolkata. */
const TIME_ZONES = ['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'UTC'];
const BEGIN = Date.UTC(2030, 2, 25);
const DAYS = 12;
const RETENTION_DAYS = 4;
/** Days after which everything is compared; then somebody is erased, the server is killed, and old events expire. */
const CHECKPOINTS = { DuckDB: [2.4, 5.7, 12], ClickHouse: [5.7, 12] };
/** Against hanging only: an emulated engine on a busy machine takes half a minute for a report. */
const TIMEOUT_MS = 3_600_000;
const SLOWLY = { timeout: 600_000, interval: 200 };

describe.each(enginesForTest())('on $name, all figures are those of the list of events', ({ name, open }) => {
  const visits = Number(process.env.FIGURES_VISITS ?? (name === 'DuckDB' ? 120 : 60));
  const random = SeededRandom.forThisRun('figures');
  const clock = new AdjustableClock();
  let server: TestServer | undefined;
  let databases: Awaited<ReturnType<Engine['open']>> | undefined;
  const start = async (dataDir?: string) => {
    const env = { ...WITH_OWNER, ...databases!.env };
    server = await startServer({ env, wrap: clock.wrap, ...(dataDir !== undefined && { dataDir }) });
    return server;
  };
  beforeAll(async () => {
    databases = await open();
    clock.freeze(BEGIN - DAY_MS);
    await start();
  });
  afterAll(async () => {
    await discard(server);
    await databases?.close();
  });

  test('with retention, erasure and kill -9', { timeout: TIMEOUT_MS }, async () => {
    const log = new VisitLog();
    /** Texts that no file may contain at the end. */
    const gone: string[] = [];
    const moments = randomVisits(random, { start: BEGIN, days: DAYS, visits });
    const player = new VisitPlayer(server!, clock, { propertyId: 'shop', log, moments });
    const timeZone = random.pick(TIME_ZONES);
    const days = new LocalDays(timeZone);
    await player.prepare(BEGIN - 1, {
      timeZone,
      retentionDays: null,
      allowedOrigins: ['https://shop.example'],
    });
    let keptFrom = BEGIN;
    for (const day of CHECKPOINTS[name]) {
      const now = BEGIN + Math.round(day * DAY_MS);
      const expectAgreement = async (when: string, thoroughly: boolean) => {
        const check = new FigureCheck(player, log, { random, days });
        const found = await check.disagreements(keptFrom, now, thoroughly);
        expect(found.slice(0, 40), `${timeZone}, day ${day} ${when}: ${found.length} disagreements`).toEqual(
          [],
        );
      };
      await player.playUntil(now);
      await expectAgreement('as sent', false);
      const subject = randomSubject(random, log);
      gone.push(...log.erase(subject));
      await player.erase(subject);
      await expectAgreement(`without ${JSON.stringify(subject)}`, true);
      await server!.stop('SIGKILL');
      player.server = await start(server!.dataDir);
      await expectAgreement('after kill -9', false);
      const oldest = player.now - RETENTION_DAYS * DAY_MS;
      if (oldest <= BEGIN) continue;
      keptFrom = oldest;
      gone.push(...log.expire(keptFrom));
      // A change of the setting takes effect at once; without it, the clock would decide when events expire.
      await player.manage('PATCH', '', { retentionDays: RETENTION_DAYS });
      await expect
        .poll(async () => (await player.list('/v1/sessions', 'sessions', {})).length, SLOWLY)
        .toBe(log.sessions().length);
      await expectAgreement('with retention', false);
      await player.manage('PATCH', '', { retentionDays: null });
    }
    if (name !== 'DuckDB') return;
    await player.manage('PATCH', '', { retentionDays: RETENTION_DAYS });
    // Within a day, nothing of what was erased or has expired is left in any file.
    const dayAfter = BEGIN + DAYS * DAY_MS + DAY_MS;
    clock.freeze(dayAfter);
    await server!.stop('SIGKILL');
    player.server = await start(server!.dataDir);
    const { dataDir } = server!;
    // A refund may have brought back the id of a session that had expired.
    const stored = log.storedTexts();
    const deleted = gone.filter((text) => !stored.has(text));
    const expectClean = (texts: string[]) =>
      expect.poll(() => storedTraces(dataDir, texts), SLOWLY).toEqual([]);
    await expectClean(deleted);
    const kept = log.facts().flatMap(({ moment: { request } }) => request.sessionId ?? []);
    expect(storedTraces(dataDir, kept.slice(-3))).not.toEqual([]);
    await player.manage('DELETE', '');
    // It waits for requests that were accepted before, which a stopped clock cannot tell.
    clock.freeze(dayAfter + HOUR_MS);
    await expectClean(kept);
  });
});

/** Somebody about whom something is stored. */
function randomSubject(random: SeededRandom, log: VisitLog): Subject {
  const sessions = log.sessions();
  const pairs = log
    .facts()
    .flatMap(({ moment: { request } }) =>
      'metadata' in request ? Object.entries(request.metadata ?? {}) : [],
    );
  const subjects: Subject[][] = [
    sessions.map(({ sessionId }) => ({ sessionId })),
    sessions.flatMap(({ visitorId }) => (visitorId === null ? [] : [{ visitorId }])),
    sessions.flatMap(({ userId }) => (userId === null ? [] : [{ userId }])),
    pairs.map(([key, value]) => ({ metadata: { key, value } })),
  ];
  return random.pick(random.pick(subjects.filter(({ length }) => length > 0)));
}
