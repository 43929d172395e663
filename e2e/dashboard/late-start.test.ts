import { sampleWith } from '@switchyard/testing/fixtures/shop';
import { WITH_OWNER } from '@switchyard/testing/server/browser';
import { startServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { describe, it } from 'vitest';
import { Dashboard } from '../support/dashboard.ts';

const HOUR_MS = 3_600_000;
const clock = new AdjustableClock();
const planned = (key: string, schedule: object) => ({
  key,
  type: 'id',
  variations: [{ key: 'control', weight: 1 }],
  goals: ['signup'],
  ...schedule,
});
const startAt = Date.now() + HOUR_MS;

const dashboard = await Dashboard.open({
  provision: sampleWith({
    splitTests: [planned('late', { startAt }), planned('missed', { startAt, stopAt: startAt + HOUR_MS })],
  }),
  wrap: clock.wrap,
});

describe.skipIf(dashboard.isMissing)('a test whose start came due while the server was down', () => {
  it('shows when it was started in fact, or that nobody saw it', async () => {
    const { dataDir } = dashboard.server;
    await dashboard.server.stop('SIGTERM');
    clock.set(3 * HOUR_MS);
    dashboard.server = await startServer({ dataDir, env: WITH_OWNER, wrap: clock.wrap });
    const page = await dashboard.shopPage('split-tests/late');
    const phases = page.getByRole('tab', { name: 'Phases & history' });
    await phases.click();
    await page.getByText(/^As planned; the server was down, so it started on /).waitFor();
    await page.goto('/p/shop/split-tests/missed');
    await phases.click();
    await page.getByText('As planned, but the server was down all the time: nobody saw it').waitFor();
  });
});
