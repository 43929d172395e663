import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSwitchyard, type FlagContext, type Switchyard, type SwitchyardOptions } from '../node.ts';

const TIMEOUT_MS = 30_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ provision: SAMPLE });
});
afterAll(() => discard(server));

const open: Switchyard[] = [];
afterEach(async () => {
  for (const switchyard of open.splice(0)) await switchyard.close();
});

function connect(options: Partial<SwitchyardOptions> = {}): Switchyard {
  const switchyard = createSwitchyard({
    apiUrl: server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: TIMEOUT_MS,
    ...options,
  });
  open.push(switchyard);
  return switchyard;
}

async function ready(options: Partial<SwitchyardOptions> = {}): Promise<Switchyard> {
  const switchyard = connect(options);
  expect(await switchyard.ready()).toEqual({ success: true });
  return switchyard;
}

const staff = { email: 'ada@shop.example' };

describe('local evaluation', () => {
  it('evaluates rules, segments and fallbacks', async () => {
    const { flags } = await ready();
    expect(flags.boolean('new-checkout', false, staff)).toBe(true);
    expect(flags.boolean('new-checkout', true, { email: 'eve@elsewhere.example' })).toBe(false);
    expect(flags.boolean('new-checkout', false, { userId: 'u', plan: 'beta' })).toBe(true);
    expect(flags.string('banner', 'none')).toBe('spring');
    expect({ ...flags.all(staff) }).toEqual({ 'new-checkout': true, banner: 'spring' });
    expect(flags.details('new-checkout', false, staff)).toEqual({
      key: 'new-checkout',
      value: true,
      reason: 'TARGETING_MATCH',
      ruleId: 'staff',
    });
    expect(flags.details('banner', 'none', staff)).toEqual({
      key: 'banner',
      value: 'spring',
      reason: 'STATIC',
    });
    expect(flags.status()).toBe('ready');
  });

  it('uses toJSON of context values, such as database ids, like the service', async () => {
    const withToJson = (value: unknown) => ({ toJSON: () => value });
    const contexts = [
      { email: withToJson('ada@shop.example') },
      { email: [withToJson('ada@shop.example')] },
      { email: withToJson(5), userId: withToJson('u-1'), since: [new Date(0)] },
    ] as unknown as FlagContext[];
    const [local, remote] = [await ready(), connect({ evaluation: 'remote' })];
    for (const context of contexts) {
      expect(await local.flags.evaluate(context)).toEqual(await remote.flags.evaluate(context));
    }
    expect(local.flags.boolean('new-checkout', false, contexts[0])).toBe(true);
  });

  it('uses the environment of the options', async () => {
    const { flags } = await ready({ environment: 'staging' });
    expect(flags.details('new-checkout', true, staff)).toMatchObject({ value: false, reason: 'DISABLED' });
    expect(flags.details('banner', 'x')).toMatchObject({ value: 'none', reason: 'DEFAULT' });
  });

  it('returns the fallback and an error code for unknown flags and wrong types', async () => {
    const { flags } = await ready();
    expect(flags.details('no-such-flag', true)).toMatchObject({
      value: true,
      reason: 'ERROR',
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(flags.details('banner', true)).toMatchObject({ value: true, errorCode: 'TYPE_MISMATCH' });
    expect(flags.details('new-checkout', 'x')).toMatchObject({ value: 'x', errorCode: 'TYPE_MISMATCH' });
    expect(flags.boolean('banner', true)).toBe(true);
    expect(flags.string('new-checkout', 'x')).toBe('x');
    expect(flags.boolean('__proto__', true)).toBe(true);
  });

  it('accepts any context without throwing', async () => {
    const { flags } = await ready();
    const { boolean, details, all } = flags;
    const broken = Object.defineProperty({}, 'email', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    for (const context of [null, undefined, 7, 'text', [], broken, Object.create(null)]) {
      expect(typeof boolean('new-checkout', true, context as never)).toBe('boolean');
      expect(details('new-checkout', true, context as never).key).toBe('new-checkout');
      expect(Object.keys(all(context as never)).length).toBeLessThanOrEqual(2);
    }
    expect(details('new-checkout', true, broken)).toMatchObject({ value: true, errorCode: 'GENERAL' });
    expect(boolean(undefined as never, true)).toBe(true);
  });

  it('returns the fallback and the reason before the flags are loaded', async () => {
    const { flags, ready } = connect();
    expect(flags.boolean('new-checkout', true, staff)).toBe(true);
    expect(flags.details('banner', 'x')).toMatchObject({ value: 'x', errorCode: 'PROVIDER_NOT_READY' });
    expect({ ...flags.all() }).toEqual({});
    expect(await flags.resolve('banner', 'x')).toMatchObject({ value: 'spring' });
    expect(await ready()).toEqual({ success: true });
  });
});

describe('errors', () => {
  it.each([
    [{ secretApiKey: 'service_sec_0123456789abcdefUnknown' }, 'api_key_invalid'],
    [{ propertyId: 'other' }, 'wrong_property'],
    [{ environment: 'prodction' }, 'environment_not_found'],
  ])('%o', async (options, code) => {
    const errors: string[] = [];
    const { ready, flags } = connect({ ...options, onError: (error) => errors.push(error.code) });
    expect(await ready()).toMatchObject({ success: false, error: { code } });
    expect(flags.status()).toBe('error');
    expect(flags.details('banner', 'x')).toMatchObject({ value: 'x', errorCode: 'PROVIDER_NOT_READY' });
    expect(errors).toContain(code);
  });

  it('logs invalid options and wrong keys once, and sends nothing', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    for (const options of [
      { secretApiKey: PUBLIC_KEY },
      { publicApiKey: SECRET_KEY },
      { apiUrl: 'ftp://elsewhere.example' },
      { apiUrl: '' },
      { propertyId: '' },
      { secretApiKey: 'with\nnewline' },
    ]) {
      const { ready, goals, flags } = connect(options);
      const code = JSON.stringify(options).includes('service_') ? 'wrong_key_kind' : 'invalid_argument';
      expect(await ready()).toMatchObject({ success: false, error: { code } });
      expect(await goals.increment('signup')).toMatchObject({ success: false, error: { code } });
      expect(flags.boolean('new-checkout', true)).toBe(true);
    }
    expect(createSwitchyard(undefined as never).flags.boolean('x', true)).toBe(true);
    expect(warn).toHaveBeenCalledTimes(7);
    expect(fetchSpy).not.toHaveBeenCalled();
    warn.mockRestore();
    fetchSpy.mockRestore();
  });
});

describe('remote evaluation', () => {
  it('evaluates in the service', async () => {
    const body = { propertyId: 'shop', sessionId: 's-remote', visitorId: 'v-remote', userId: 'u-remote' };
    await server.call('POST', '/v1/sessions/collect', { key: PUBLIC_KEY, body });
    const { flags } = await ready({ evaluation: 'remote' });
    expect(await flags.resolve('new-checkout', false, staff)).toEqual({
      key: 'new-checkout',
      value: true,
      reason: 'TARGETING_MATCH',
      ruleId: 'staff',
    });
    expect(await flags.resolve('banner', true)).toMatchObject({ value: true, errorCode: 'TYPE_MISMATCH' });
    expect(await flags.resolve('nothing', 'x')).toMatchObject({ value: 'x', errorCode: 'FLAG_NOT_FOUND' });
    expect(await flags.evaluate(staff, ['banner', 'nothing'])).toEqual({
      success: true,
      flags: { banner: { key: 'banner', value: 'spring', reason: 'STATIC' } },
    });
    const all = await flags.evaluate(staff);
    expect(all.success && Object.keys(all.flags)).toEqual(['new-checkout', 'banner']);
  });

  it('returns the fallback from synchronous calls, and logs the reason once', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const { flags } = connect({ evaluation: 'remote' });
    expect(flags.boolean('new-checkout', true, staff)).toBe(true);
    expect(flags.details('banner', 'x').errorCode).toBe('PROVIDER_NOT_READY');
    expect({ ...flags.all() }).toEqual({});
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('flags.resolve');
    warn.mockRestore();
  });

  it('does not throw if the service rejects the call or the context cannot be sent', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const { flags } = connect({ evaluation: 'remote' });
    expect(await flags.evaluate(cyclic)).toMatchObject({ error: { code: 'invalid_argument' } });
    expect(await flags.resolve('banner', 'x', cyclic)).toMatchObject({ value: 'x', errorCode: 'GENERAL' });
    const nowhere = connect({ evaluation: 'remote', environment: 'nowhere' });
    expect(await nowhere.ready()).toMatchObject({ error: { code: 'environment_not_found' } });
    expect(await nowhere.flags.resolve('banner', 'x')).toMatchObject({ value: 'x', errorCode: 'GENERAL' });
  });
});
