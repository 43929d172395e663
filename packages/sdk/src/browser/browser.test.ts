import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { createSwitchyard } from './browser.ts';
import { createSplitTesting } from './split-testing.ts';

interface Shop {
  splitTests: { hero: 'control' | 'b'; pricing: { price: number } };
  flags: { 'new-checkout': boolean };
  goals: { signup: 'count' };
  feedbackTypes: { nps: 'good' | 'bad' };
}

const OPTIONS = {
  apiUrl: 'https://switchyard.example',
  publicApiKey: 'service_pub_0123456789abcdef',
  propertyId: 'shop',
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('typed keys', () => {
  it('with a schema, a misspelled key or a fallback of the wrong type does not compile', () => {
    const { splitTest } = createSwitchyard<Shop>(OPTIONS);
    expectTypeOf(splitTest.get('hero', 'control')).toEqualTypeOf<'control' | 'b'>();
    expectTypeOf(splitTest.get('hero', null)).toEqualTypeOf<'control' | 'b' | null>();
    expectTypeOf(splitTest.peek('pricing', { price: 10 }).price).toBeNumber();
    // @ts-expect-error: there is no such test
    splitTest.get('heroo', 'control');
    // @ts-expect-error: there is no such variation
    splitTest.get('hero', 'c');
    // @ts-expect-error: it is an object
    createSplitTesting<Shop>(OPTIONS).splitTest.peek('pricing', 'cheap');
  });

  it('without a schema, any key is allowed and the fallback determines the type', () => {
    const { splitTest } = createSwitchyard(OPTIONS);
    expectTypeOf(splitTest.get('anything', 'Buy')).toEqualTypeOf<string>();
    expectTypeOf(splitTest.get('anything', { price: 1 })).toExtend<{ price: number }>();
    expectTypeOf(splitTest.get('anything', 3)).toEqualTypeOf<number>();
  });
});

describe('outside of a page', () => {
  it('returns fallbacks and sends nothing', async () => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const errorSpy = vi.spyOn(console, 'error');
    for (const client of [createSwitchyard(OPTIONS), createSplitTesting(OPTIONS)]) {
      await client.ready();
      expect(client.splitTest.get('hero', 'fallback')).toBe('fallback');
      expect([client.sessionId(), client.visitorId()]).toEqual([undefined, undefined]);
      client.setAttributes({ a: 1 });
      client.setConsent(true);
      await client.flush();
      client.destroy();
    }
    const client = createSwitchyard(OPTIONS);
    client.track('event');
    client.identify('u-1');
    client.page();
    expect(fetchSpy).not.toHaveBeenCalled();
    expect(errorSpy).not.toHaveBeenCalled();
  });

  it('setConsent(false) is harmless', () => {
    createSwitchyard(OPTIONS).setConsent(false);
  });

  it('rejects a secret key in any option', () => {
    for (const secret of [
      { ...OPTIONS, publicApiKey: 'service_sec_0123456789abcdef' },
      { ...OPTIONS, secretApiKey: 'service_sec_0123456789abcdef' },
    ]) {
      expect(() => createSwitchyard(secret)).toThrow(/never ship a secret key/);
      expect(() => createSplitTesting(secret)).toThrow(/never ship a secret key/);
    }
  });
});
