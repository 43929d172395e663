import { HOUR_MS } from '@switchyard/core/time';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { applyProvision, switchyard } from '@switchyard/testing/server/command-line';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';

const clock = new AdjustableClock();
let server: TestServer;
beforeEach(async () => {
  clock.set(0);
  server = await startServer({
    provision: SAMPLE,
    env: { RATE_LIMIT_PER_SECOND: '20' },
    wrap: clock.wrap,
  });
});
afterEach(() => discard(server));

const list = () => server.send('GET', '/v1/flags/list?propertyId=shop', { key: SECRET_KEY });

const setBack = () => clock.set(-HOUR_MS);

test('the server uses the adjusted clock', async () => {
  setBack();
  const exposures = [{ splitTestKey: 'hero', variationKey: 'b', sessionId: 's' }];
  const body = { propertyId: 'shop', exposures };
  await server.call('POST', '/v1/split-testing/expose', { key: PUBLIC_KEY, body });
  const { sessions } = (await server.call('GET', '/v1/sessions?propertyId=shop', { key: SECRET_KEY })).body;
  expect(sessions[0].startedAt).toBeLessThan(Date.now() - HOUR_MS / 2);
});

test('setting the clock back by an hour does not stop the refill of the rate limit', async () => {
  const responses = await Promise.all(Array.from({ length: 60 }, list));
  expect(responses.some(({ status }) => status === 429)).toBe(true);
  setBack();
  await waitFor('a request within the rate', async () => (await list()).status === 200);
});

test('setting the clock back by an hour does not stop the background jobs', async () => {
  const variations = [{ key: 'a', weight: 1 }];
  // By now each job has run at least once and is waiting for its next run.
  await switchyard(server, 'forget', '--property', 'shop', '--user', 'unknown');
  setBack();
  await applyProvision(server, {
    properties: [{ id: 'shop', splitTests: [{ key: 'due', type: 'id', variations, startAt: 1000 }] }],
  });
  await waitFor('the start of the split test', async () => {
    const config = await server.send('GET', '/v1/split-testing/config?propertyId=shop', { key: PUBLIC_KEY });
    return config.body.tests?.some(({ key }: { key: string }) => key === 'due');
  });
  const forgotten = await switchyard(server, 'forget', '--property', 'shop', '--user', 'unknown');
  expect(forgotten).toMatchObject({ code: 0 });
});

test('setting the clock back by an hour does not delay the shutdown', async () => {
  setBack();
  expect(await server.stop('SIGTERM')).toBe(0);
});
