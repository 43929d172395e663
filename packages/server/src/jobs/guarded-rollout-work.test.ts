import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PropertyConfiguration } from '../configuration/property/property-configuration.ts';
import type { FoundDecision } from '../features/flags/change-guarded-rollout.ts';
import { runRollouts } from '../features/flags/run-rollouts.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { createConfigurationWriter } from '../start/definitions.ts';
import { createHarmWatch } from './harm-work.ts';

const PAST = 1_700_000_000_000;
const GUARDRAILS = [{ goalId: 'signup', maxHarm: 0.02 }];
const steps = (...percentages: number[]) =>
  percentages.map((percentage, index) => ({ at: PAST + index, percentage }));

const GO: FoundDecision = {
  decision: { action: 'go', percentage: 20, reason: 'safe' },
  words: 'Harm beyond the margins is excluded.',
  harms: [],
  asOf: 1,
};
const BACK: FoundDecision = {
  ...GO,
  decision: { action: 'roll-back', percentage: 5, harmed: ['signup'] },
  words: 'Sign-ups got worse: 40 % → 15 %',
};
const STAY: FoundDecision = { ...GO, decision: { action: 'stay', reason: 'not-enough-data' } };

describe.each(engines())('rollouts with guardrails on $name', (engine) => {
  let shop: MemoryConfiguration;
  let property: PropertyConfiguration;
  let found: FoundDecision;
  let scopes: { plannedPhases: number; phases: { phase: { number: number }; test: { key: string } }[] }[];

  beforeEach(async () => {
    shop = await openMemoryConfiguration(engine);
    await shop.apply({ goals: [{ id: 'signup', kind: 'count' }] });
    await storeWebhook(shop.handle.database, {
      url: 'https://shop.example',
      events: ['harm.stopped', 'rollout.stayed'],
    });
    [found, scopes] = [GO, []];
  });
  afterEach(() => shop.handle.close());

  const apply = (rollout: object) => applyAll({ search: rollout });
  const applyAll = async (rollouts: Record<string, object>) => {
    const flags = Object.entries(rollouts).map(([key, rollout]) => {
      const rules = [{ id: 'all', value: true, rollout: { guardrails: GUARDRAILS, ...rollout } }];
      const environments = { production: { enabled: true, rules } };
      return { key, type: 'boolean', defaultValue: false, environments };
    });
    await shop.apply({ flags });
    await load();
  };
  const load = async () => {
    property = (await shop.property())!;
  };
  const startWatch = (properties = () => [property], clock?: () => number) =>
    createHarmWatch({
      ...(clock && { clock }),
      log: pino({ level: 'silent' }),
      configuration: { properties },
      writer: createConfigurationWriter(shop.handle.database),
      reports: {
        isClosed: false,
        release: async () => {},
        run: async ({ scope }: { scope: (typeof scopes)[number] }) => {
          scopes.push(scope);
          return { body: new TextEncoder().encode(JSON.stringify(found)) };
        },
      } as unknown as ReportRunner,
    });
  const look = async () => {
    await startWatch().run();
    await load();
  };
  const rollout = () => property.flags[0]!.configurations[0]!.rules[0]!.rollout!;
  const measured = () => property.flags[0]!.configurations[0]!.measured![0]!;
  const history = async () => {
    const query = shop.handle.database.selectFrom('history').selectAll().where('entity_key', '=', 'search');
    const rows = await query.where('via', '!=', 'file').execute();
    return rows.map(({ actor_name, via, comment }) => [actor_name, via, comment]);
  };
  const delivered = async () => {
    const rows = await shop.handle.database.selectFrom('webhook_deliveries').select('body').execute();
    return rows.map(({ body }) => JSON.parse(body));
  };

  it('are never moved by the schedule alone', async () => {
    await apply({ percentage: 10, schedule: steps(20, 50) });
    expect(
      await runRollouts(createConfigurationWriter(shop.handle.database), [property], Date.now()),
    ).toEqual([]);
    await load();
    expect(rollout().percentage).toBe(10);
  });

  it('make one step per look, once on two nodes, and move those after a late one', async () => {
    await apply({ percentage: 10, schedule: steps(20, 50) });
    const outdated = property;
    await Promise.all([startWatch().run(), startWatch(() => [outdated]).run()]);
    await startWatch(() => [outdated]).run();
    await load();
    expect(scopes).toHaveLength(3);
    expect(rollout().percentage).toBe(20);
    expect(rollout().schedule).toMatchObject([{ percentage: 50 }]);
    expect(rollout().schedule![0]!.at).toBeGreaterThan(Date.now() - 60_000);
    expect(await history()).toEqual([
      ['Switchyard', 'schedule', 'Step to 20 %. Harm beyond the margins is excluded.'],
    ]);
    expect(measured()).toMatchObject({ phases: [{ number: 1 }, { number: 2 }], plan: { firstPhase: 1 } });
  });

  it('all have their turn, although a script saves one of them before every look', async () => {
    found = { ...GO, decision: { action: 'wait', reason: 'not-enough-data' } };
    let now = 0;
    const watch = startWatch(undefined, () => now);
    for (const percentage of [11, 12, 13, 14]) {
      const schedule = steps(50);
      const quiet = { percentage: 10, schedule };
      await applyAll({ busy: { percentage, schedule }, search: quiet, zoom: quiet });
      await watch.run();
      now += 1000;
    }
    const looks = scopes.map(({ phases }) => phases.at(-1)!.test.key.split(/[:/]/)[1]);
    expect(looks).toEqual(['busy', 'search', 'zoom', 'busy']);
  });

  it('go back once, although two nodes and a restarted one found the same, and say how it ended', async () => {
    await apply({ percentage: 10, schedule: steps(20) });
    found = BACK;
    const outdated = property;
    await Promise.all([startWatch().run(), startWatch(() => [outdated]).run()]);
    await startWatch(() => [outdated]).run();
    await load();
    expect(rollout()).toEqual({ percentage: 5 });
    const comment = 'Rolled back from 10 % to 5 %. Sign-ups got worse: 40 % → 15 %.';
    expect(await history()).toEqual([['safe rollout', 'monitoring', comment]]);
    expect(await delivered()).toMatchObject([
      { type: 'harm.stopped', data: { percentage: 5, words: comment } },
    ]);
    expect(measured().plan?.ended).toMatchObject({ action: 'rolled-back', from: 10, percentage: 5 });
    await look();
    expect(await history()).toHaveLength(1);
  });

  it('leave alone what somebody has changed during the evaluation', async () => {
    await apply({ percentage: 10, schedule: steps(20) });
    found = BACK;
    const outdated = property;
    await apply({ percentage: 11, schedule: steps(20) });
    await startWatch(() => [outdated]).run();
    await load();
    expect(rollout().percentage).toBe(11);
    expect(await delivered()).toEqual([]);
  });

  it('stay without their steps, still watched, and tell so once', async () => {
    await apply({ percentage: 10, schedule: steps(20) });
    found = STAY;
    await look();
    expect(rollout()).toEqual({ percentage: 10, guardrails: GUARDRAILS });
    expect(await delivered()).toMatchObject([
      { type: 'rollout.stayed', data: { percentage: 10, wantedPercentage: 20 } },
    ]);
    found = BACK;
    await look();
    expect(rollout()).toEqual({ percentage: 5 });
  });

  it('lose their guardrails when everybody has it', async () => {
    await apply({ percentage: 10, schedule: steps(100), minVisitors: 5, maxWaitDays: 1 });
    found = { ...GO, decision: { action: 'go', percentage: 100, reason: 'safe' } };
    await look();
    expect(rollout()).toEqual({ percentage: 100 });
    expect(measured().plan?.ended).toMatchObject({ action: 'finished', from: 10 });
  });

  it('count on the number of steps that they began with, until somebody changes the steps', async () => {
    await apply({ percentage: 10, schedule: steps(20, 50, 100) });
    await look();
    await look();
    expect(scopes.map(({ plannedPhases, phases }) => [plannedPhases, phases.length])).toEqual([
      [3, 1],
      [3, 2],
    ]);
    await apply({ percentage: 20, schedule: steps(30, 100) });
    await look();
    expect(scopes.at(-1)!.plannedPhases).toBe(2);
    expect(scopes.at(-1)!.phases[0]!.phase.number).toBe(measured().plan!.firstPhase);
  });

  it('change nothing in the rows of rules without guardrails', async () => {
    const rules = [{ id: 'all', value: true, rollout: { percentage: 10 }, measure: { goals: ['signup'] } }];
    const environments = { production: { enabled: true, rules } };
    await shop.apply({ flags: [{ key: 'plain', type: 'boolean', defaultValue: false, environments }] });
    await load();
    expect(property.flags[0]!.configurations[0]!.measured![0]).not.toHaveProperty('plan');
  });
});
