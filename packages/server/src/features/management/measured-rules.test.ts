import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const measure = { goals: ['signup'], guardrails: [{ goalId: 'revenue', maxHarm: 0.05 }] };
const HALF = { id: 'half', rollout: { percentage: 50 }, value: true, measure };
const SPLIT = {
  id: 'parts',
  split: [
    { key: 'a', value: 'A', weight: 1 },
    { key: 'b', value: 'B', weight: 1 },
  ],
  measure,
};

let shop: Shop;
let manager: PropertyManager;
let editor: PropertyManager;
beforeAll(async () => {
  const provision = sampleWith({ environments: [{ id: 'live', protected: true }] });
  shop = await openShop({ provision, env: WITH_OWNER });
  const browser = await ownerBrowser(shop.server);
  manager = new PropertyManager(browser);
  editor = new PropertyManager((await newMember(browser, 'editor@shop.example', 'editor')).browser);
});
afterAll(() => closeShop(shop));

const put = (key: string, rules: object[], type = 'boolean', environment = 'production') =>
  manager.put(`/flags/${key}`, {
    type,
    defaultValue: type === 'boolean' ? false : 'none',
    environments: { [environment]: { enabled: true, rules } },
  });
const patch = async (key: string, configuration: object, query = '') => {
  const { version } = await manager.read(`/flags/${key}`);
  const response = await manager.patch(
    `/flags/${key}${query}`,
    { environments: { production: configuration } },
    version,
  );
  return bodyOf(response);
};
const measuredOf = async (key: string) =>
  (await manager.read(`/flags/${key}`)).environments.production.measured;
const phasesOf = async (key: string) =>
  (await measuredOf(key))[0].phases.map((it: { reasons: string[]; endedAt: number | null }) => ({
    reasons: it.reasons.join(),
    open: it.endedAt === null,
  }));

describe('phases of a measured rule', () => {
  it('start with it, and with each change that moves somebody', async () => {
    bodyOf(await put('phases', [HALF]), 201);
    const steps: [object, string][] = [
      [{ rules: [{ ...HALF, rollout: { percentage: 60 } }] }, 'weights'],
      [{ rules: [{ ...HALF, rollout: { percentage: 60, salt: 'other' } }] }, 'seed'],
      [{ rules: [{ ...HALF, rollout: { percentage: 60, salt: 'other', by: 'visitorId' } }] }, 'seed,unit'],
      [{ rules: [{ ...HALF, conditions: [{ operator: 'inSegment', values: ['beta'] }] }] }, ''],
      [{ rules: [{ ...HALF, name: 'Named', measure: { goals: ['revenue'] } }] }, 'audience'],
      [{ rules: [{ id: 'staff', conditions: [], rollout: { percentage: 5 }, value: true }, HALF] }, 'rules'],
      [{ rules: [HALF, { id: 'rest', value: true }] }, 'rules'],
    ];
    const expected = [{ reasons: 'started', open: true }];
    for (const [configuration, reason] of steps) {
      await patch('phases', configuration);
      expected.at(-1)!.open = false;
      expected.push({ reasons: reason || 'seed,weights,unit,audience', open: true });
      expect(await phasesOf('phases'), reason).toEqual(expected);
    }
    await patch('phases', {
      rules: [
        { ...HALF, name: 'Only named' },
        { id: 'rest', value: true },
      ],
    });
    expect(await phasesOf('phases')).toEqual(expected);
  });

  it('open with a change of a segment, and not with more of a split', async () => {
    bodyOf(
      await put(
        'segmented',
        [
          {
            ...SPLIT,
            rollout: { percentage: 10 },
            conditions: [{ operator: 'inSegment', values: ['beta'] }],
          },
        ],
        'string',
      ),
      201,
    );
    await patch('segmented', {
      rules: [
        { ...SPLIT, rollout: { percentage: 20 }, conditions: [{ operator: 'inSegment', values: ['beta'] }] },
      ],
    });
    expect(await phasesOf('segmented')).toHaveLength(1);
    const { version } = await manager.read('/segments/beta');
    const changed = { conditions: [{ attribute: 'plan', operator: 'equals', values: ['alpha'] }] };
    const dryRun = bodyOf(await manager.patch('/segments/beta?dryRun=true', changed, version));
    const measuredRule = { flagKey: 'segmented', environment: 'production', ruleId: 'parts' };
    expect(dryRun.opensPhase).toEqual([{ measuredRule, phase: 2, reasons: ['audience'] }]);
    expect(dryRun.warnings.join()).toContain(
      'the measured rule "parts" of the flag "segmented" in production',
    );
    bodyOf(await manager.patch('/segments/beta', changed, version));
    expect((await phasesOf('segmented')).map((it: { reasons: string }) => it.reasons)).toEqual([
      'started',
      'audience',
    ]);
  });

  it('pause with the flag or the rule, and end with the measurement', async () => {
    bodyOf(await put('paused', [HALF]), 201);
    await patch('paused', { enabled: false });
    expect((await measuredOf('paused'))[0].phases[0].pauses).toMatchObject([{ to: null }]);
    const query = { flagKey: 'paused', ruleId: 'half' };
    expect((await shop.get('/v1/flags/results', query)).body.status).toBe('paused');
    await patch('paused', { enabled: true });
    const { measure: _measure, ...unmeasured } = HALF;
    await patch('paused', { rules: [unmeasured] });
    expect(await phasesOf('paused')).toEqual([{ reasons: 'started', open: false }]);
    const { body } = await shop.get('/v1/flags/results', query);
    expect(body).toMatchObject({
      status: 'stopped',
      winner: null,
      goals: [{ goalId: 'signup' }, { goalId: 'revenue' }],
    });
    await patch('paused', { rules: [] });
    expect(await measuredOf('paused')).toBeUndefined();
  });
});

describe('what a rule is measured by', () => {
  it.each<[string, object, string[]]>([
    [
      'needs something to compare',
      { id: 'r', value: true, measure },
      ['/environments/production/rules/0/measure'],
    ],
    [
      'needs a rollout below 100 %',
      { ...HALF, rollout: { percentage: 100 } },
      ['/environments/production/rules/0/measure'],
    ],
    [
      'are goals that exist',
      { ...HALF, measure: { goals: ['signup', 'nothing'] } },
      ['/environments/production/rules/0/measure/goals/1'],
    ],
    [
      'are different goals and guardrails',
      { ...HALF, measure: { goals: ['signup'], guardrails: ['signup'] } },
      ['/environments/production/rules/0/measure/guardrails/0'],
    ],
    ['has a goal', { ...HALF, measure: { goals: [] } }, ['/environments/production/rules/0/measure/goals']],
    [
      'has at most 100 goals',
      { ...HALF, measure: { goals: Array(101).fill('signup') } },
      ['/environments/production/rules/0/measure/goals'],
    ],
  ])('%s', async (_name, rule, pointers) => {
    const error = errorOf(await put('bad', [rule]), 400, 'invalid_request');
    expect(error.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });

  it('cannot be deleted', async () => {
    bodyOf(await put('uses', [HALF]), 201);
    const { version } = await manager.read('/goals/revenue');
    const error = errorOf(await manager.delete('/goals/revenue', version), 409, 'in_use');
    expect(error.references).toContainEqual(expect.objectContaining({ type: 'flag', key: 'uses' }));
  });

  it('cannot be deleted while the guardrail of a rollout needs it', async () => {
    bodyOf(await manager.put('/goals/refunds', { name: 'Refunds', kind: 'count' }), 201);
    const schedule = [{ at: '2100-01-01T00:00:00Z', percentage: 100 }];
    const rollout = { percentage: 10, schedule, guardrails: ['refunds'] };
    bodyOf(await put('watched', [{ id: 'all', rollout, value: true, measure: { goals: ['signup'] } }]), 201);
    const { version } = await manager.read('/goals/refunds');
    errorOf(await manager.delete('/goals/refunds', version), 409, 'in_use');
    const off = bodyOf(await manager.post('/flags/watched/promote', { ruleId: 'all', variant: 'off' }));
    expect(off.environments.production.rules).toEqual([
      { id: 'all', rollout: { percentage: 0 }, value: true },
    ]);
  });

  it('counts people, so it cannot be drawn by what several share', async () => {
    const by = (attribute: string) => ({ ...HALF, rollout: { percentage: 50, by: attribute } });
    const error = errorOf(await put('company', [by('companyId')]), 400, 'invalid_request');
    expect(error.errors[0].pointer).toBe('/environments/production/rules/0/rollout/by');
    bodyOf(await put('person', [by('email')]), 201);
  });

  it('is told in the history', async () => {
    bodyOf(await put('told', []), 201);
    await patch('told', { rules: [{ ...HALF, measure: undefined }] });
    await patch('told', { rules: [HALF] });
    const [last] = await manager.history('?entity=flag&key=told');
    expect(last.summary).toEqual([
      'Flag told – Production, rule 1: measured by Sign-ups, guardrails Revenue (harm of at most 5 %)',
    ]);
  });
});

describe('promoting a variation', () => {
  const promote = (key: string, body: object, query = '', headers: Record<string, string> = {}) =>
    manager.post(`/flags/${key}/promote${query}`, body, headers);

  it('serves it to everybody who matches, and ends the measurement', async () => {
    bodyOf(await put('winner', [SPLIT], 'string'), 201);
    const dryRun = bodyOf(await promote('winner', { ruleId: 'parts', variant: 'b' }, '?dryRun=true'));
    expect(dryRun).toMatchObject({ dryRun: true });
    expect(dryRun.summary.join('\n')).toContain('no longer measured');
    const { environments, version } = bodyOf(
      await promote('winner', { ruleId: 'parts', variant: 'b' }, '?comment=Better'),
    );
    expect(version).toBe(2);
    expect(environments.production.rules).toEqual([{ id: 'parts', value: 'B' }]);
    expect(environments.production.measured).toMatchObject([{ ruleId: 'parts', winner: 'b' }]);
    const { body } = await shop.get('/v1/flags/results', { flagKey: 'winner', ruleId: 'parts' });
    expect(body).toMatchObject({ status: 'stopped', winner: 'b' });
    const [entry] = await manager.history('?entity=flag&key=winner');
    expect(entry.comment).toBe('Better');
    errorOf(await promote('winner', { ruleId: 'parts', variant: 'b' }), 404, 'not_found');
  });

  it('of a rollout: on for everybody, or off', async () => {
    bodyOf(await put('on', [HALF]), 201);
    bodyOf(await put('off', [HALF]), 201);
    const on = bodyOf(await promote('on', { ruleId: 'half', variant: 'on' }));
    expect(on.environments.production).toMatchObject({
      rules: [{ id: 'half', value: true }],
      measured: [{ winner: 'on' }],
    });
    const off = bodyOf(await promote('off', { ruleId: 'half', variant: 'off' }));
    expect(off.environments.production).toMatchObject({
      rules: [{ id: 'half', rollout: { percentage: 0 }, value: true }],
      measured: [{ winner: 'off' }],
    });
  });

  it('refuses what does not exist, and another version', async () => {
    bodyOf(await put('refused', [HALF]), 201);
    const wrong = errorOf(await promote('refused', { ruleId: 'half', variant: 'c' }), 400, 'invalid_request');
    expect(wrong.errors[0].pointer).toBe('/variant');
    errorOf(await promote('refused', { ruleId: 'none', variant: 'on' }), 404, 'not_found');
    errorOf(await promote('none', { ruleId: 'half', variant: 'on' }), 404, 'not_found');
    await patch('refused', { rules: [{ ...HALF, rollout: { percentage: 30 } }] });
    const stale = await promote('refused', { ruleId: 'half', variant: 'on' }, '', { 'if-match': '"1"' });
    errorOf(stale, 412, 'version_conflict');
  });

  it('is a proposal in a protected environment', async () => {
    bodyOf(await put('guarded', [HALF], 'boolean', 'live'), 201);
    const body = { environment: 'live', ruleId: 'half', variant: 'on' };
    const { proposal } = bodyOf(await editor.post('/flags/guarded/promote', body), 202);
    bodyOf(await manager.post(`/proposals/${proposal.id}/approve`, {}));
    const { environments } = await manager.read('/flags/guarded');
    expect(environments.live).toMatchObject({
      rules: [{ id: 'half', value: true }],
      measured: [{ winner: 'on' }],
    });
  });
});
