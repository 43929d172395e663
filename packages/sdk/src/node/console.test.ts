import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSwitchyard, type Switchyard, type SwitchyardOptions } from './node.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ provision: SAMPLE });
});
afterAll(() => discard(server));

let warnings: string[];
let lines: string[];
const open: Switchyard[] = [];
beforeEach(() => {
  warnings = [];
  lines = [];
  vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text));
  vi.spyOn(console, 'debug').mockImplementation((text) => void lines.push(text));
});
afterEach(async () => {
  for (const switchyard of open.splice(0)) await switchyard.close();
  vi.restoreAllMocks();
});

function connect(options: Partial<SwitchyardOptions> = {}): Switchyard {
  const switchyard = createSwitchyard({
    apiUrl: server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: 30_000,
    stream: false,
    ...options,
  });
  open.push(switchyard);
  return switchyard;
}

describe('warnings, without `debug`', () => {
  it.each([
    ['api_key_invalid', { secretApiKey: 'service_sec_0123456789abcdefUnknown' }],
    ['wrong_property', { propertyId: 'elsewhere' }],
  ])('%s: once, whatever is called', async (code, options) => {
    const { ready, goals, feedback } = connect(options);
    await ready();
    await goals.increment('signup');
    await feedback.submit('nps', { option: 'good' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      new RegExp(`^\\[switchyard\\] The service refuses the key: .* \\(${code}\\)$`),
    );
    expect(lines).toEqual([]);
  });

  it('an unknown flag, a flag of another type and an unknown split test: once each', async () => {
    const { ready, flags, splitTest } = connect();
    // Before the flags are loaded, nothing is known to be wrong.
    flags.boolean('new-chekout', false);
    await ready();
    for (let i = 0; i < 3; i++) {
      expect(flags.boolean('new-chekout', false)).toBe(false);
      expect(flags.details('new-chekout', 'x').errorCode).toBe('FLAG_NOT_FOUND');
      expect(flags.boolean('banner', true)).toBe(true);
      const tests = await splitTest.forRequest('');
      expect(tests.get('herro', 'x')).toBe('x');
    }
    expect(warnings).toEqual([
      expect.stringContaining('no flag "new-chekout"'),
      expect.stringContaining('The flag "banner" is a string, not a boolean'),
      expect.stringContaining('The split test "herro" is not running or does not exist'),
    ]);
  });
});

describe('mistakes, without `debug`', () => {
  it('goals, feedback types, options and amounts: logged once each, and passed to `onError` every time', async () => {
    const errors: string[] = [];
    const { goals, feedback } = connect({ onError: ({ code }) => errors.push(code) });
    for (let i = 0; i < 2; i++) {
      expect(await goals.increment('signnup')).toMatchObject({ success: false });
      await goals.increment('unheard-of');
      await goals.increment('revenue', { amount: Number.NaN });
      await feedback.submit('npss', { option: 'good' });
      await feedback.submit('nps', { option: 'god' });
    }
    const once = ['goal_not_found', 'goal_not_found', 'invalid_argument', 'feedback_type_not_found'];
    expect(errors).toEqual([...once, 'option_not_allowed', ...once, 'option_not_allowed']);
    expect(warnings).toEqual([
      '[switchyard] The property has no goal "signnup"; did you mean "signup"? (goal_not_found)',
      '[switchyard] The property has no goal "unheard-of". (goal_not_found)',
      '[switchyard] The `amount` of "revenue" must be a number, not NaN. (invalid_argument)',
      '[switchyard] The property has no feedback type "npss"; did you mean "nps"? (feedback_type_not_found)',
      expect.stringMatching(/\(option_not_allowed\)$/),
    ]);
  });

  it('an environment', async () => {
    const errors: string[] = [];
    const { ready } = connect({ environment: 'prodution', onError: ({ code }) => errors.push(code) });
    expect(await ready()).toMatchObject({ success: false });
    expect(errors).toEqual(['environment_not_found']);
    expect(warnings).toEqual([
      '[switchyard] The property has no environment "prodution"; did you mean "production"? (environment_not_found)',
    ]);
  });
});

describe('`debug: true`', () => {
  it('explains flags, split tests and requests, and prints no key', async () => {
    const { ready, flags, splitTest, goals, flush } = connect({ debug: true });
    await ready();
    flags.boolean('new-checkout', false, { email: 'ada@shop.example' });
    flags.boolean('new-checkout', false, { email: 'eve@elsewhere.example' });
    flags.string('banner', 'none');
    const tests = await splitTest.forRequest('sy_visitor=visitor-1; sy_session=session-1');
    const hero = tests.get('hero', 'x');
    await splitTest.forRequest('', { consent: false });
    await goals.increment('nothing-like-it');
    await flush();
    const has = (pattern: RegExp) => expect(lines).toContainEqual(expect.stringMatching(pattern));
    has(/^\[switchyard\] flag new-checkout: true, rule 1 \(staff\) matches: email endsWith @shop\.example/);
    has(
      /flag new-checkout: false, the value of the environment, because no rule matches \(rule 1 \(staff\): not email/,
    );
    has(/flag banner: spring, the value of the environment, which has no rules/);
    has(/split test hero for visitor visitor-1: (control|b), draw [\d.]+ is within/);
    has(/no consent: split tests return their fallback/);
    has(/acknowledged: POST \/v1\/split-testing\/expose \(1 exposure\), 200/);
    has(/failed: POST \/v1\/goals\/increment \(goal nothing-like-it\), .* \(goal_not_found\)/);
    expect(['Buy', 'Get it']).toContain(hero);
    expect(
      [...lines, ...warnings].filter((line) => line.includes(SECRET_KEY) || line.includes(PUBLIC_KEY)),
    ).toEqual([]);
  });
});

describe('messages', () => {
  it('say what is wrong once', async () => {
    const { feedback } = connect({ evaluation: 'remote' });
    const result = await feedback.submit('nps', { option: 'meh' });
    if (result.success) throw new Error('accepted');
    const { code, message } = result.error;
    expect(code).toBe('option_not_allowed');
    expect(message.match(/option/g)).toHaveLength(1);
  });
});
