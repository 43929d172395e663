import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { BrowserSuite } from '../support/browser-suite.ts';
import type { runVectors } from '../support/vector-runner.ts';
import { pageWithSdk } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// As text, because lone surrogates may not survive parsing and serializing.
const textOf = (name: string) => readFileSync(pathOf(`../../packages/core/src/cases/${name}.json`), 'utf8');
const casesOf = (name: string) => JSON.parse(textOf(name)).cases.length;

interface Case {
  name: string;
  test: { variations: object[] };
  visitorId: string;
  holdout?: object;
  userId?: string;
  expected: { included: boolean; index: number };
}

describe.skipIf(isMissing)('core test vectors in Chromium', () => {
  test('hash, assignment and flags pass in a browser bundle', async () => {
    const { page, site } = suite;
    const build = await rolldown({
      input: pathOf('../support/vector-runner.ts'),
      platform: 'browser',
      tsconfig: false,
      resolve: { conditionNames: ['source', 'browser', 'import', 'default'] },
    });
    const { output } = await build.generate({ format: 'iife', name: 'vectors', minify: true });
    await build.close();
    await page.goto(`${site.url}/elsewhere`);
    await page.addScriptTag({ content: output[0].code });
    const failed = await page.evaluate(([hash, assignment, flags]) => {
      const { vectors } = window as unknown as { vectors: { runVectors: typeof runVectors } };
      const { conditions, evaluations } = JSON.parse(flags!);
      return vectors.runVectors({
        hash: JSON.parse(hash!).cases,
        assignment: JSON.parse(assignment!).cases,
        conditions,
        evaluations,
      });
    }, ['hash', 'assignment', 'flags'].map(textOf));
    expect(failed).toEqual([]);
    expect([casesOf('hash'), casesOf('assignment')].every((count) => count > 20)).toBe(true);
  });

  test('assignment passes in the SDK script', async () => {
    const { page, server, site } = suite;
    await page.goto(site.put('/vectors', pageWithSdk(server.url, { options: { consent: 'required' } })));
    const { failed, count } = await page.evaluate((text) => {
      const { switchyard } = window as unknown as { switchyard: { createSwitchyard(of: object): typeof sy } };
      // A page never has an empty id: the SDK would generate a new one.
      const cases = (JSON.parse(text).cases as Case[]).filter(({ visitorId }) => visitorId !== '');
      const failing = cases.filter(({ test: given, visitorId, userId, holdout, expected }) => {
        const variations = given.variations.map((it, i) => ({ ...it, key: `v${i}`, value: '' }));
        const config = { tests: [{ ...given, key: 'test', type: 'id', variations }], holdout, ttl: 60 };
        const client = switchyard.createSwitchyard({
          apiUrl: location.origin,
          publicApiKey: 'service_pub_0123456789abcdef',
          propertyId: 'vectors',
          autoPage: false,
          bootstrap: {
            visitorId,
            userId,
            sessionId: 'session-1',
            config,
            fetchedAt: Date.now(),
            exposed: [],
          },
        });
        const [choice] = client.splitTest.assignments();
        client.setConsent(false);
        client.destroy();
        // Without variations there is nothing to show.
        if (variations.length === 0) return choice !== undefined;
        return choice?.included !== expected.included || choice.variationKey !== `v${expected.index}`;
      });
      return { failed: failing.map(({ name }) => name), count: cases.length };
    }, textOf('assignment'));
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(20);
  });
});
