import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { brotliCompressSync } from 'node:zlib';

// The first view of a new visitor with each SDK: main-thread time and requests until exposures and metrics were sent.

const installed = (path) => new URL(`../node_modules/${path}`, import.meta.url);

/** Each page loads the SDK, waits for its definitions, reads one test or flag and shows it. */
const SDKS = [
  {
    name: 'Switchyard',
    file: new URL('../../packages/sdk/dist/sdk.js', import.meta.url),
    page: `const client = switchyard.createSwitchyard({
      apiUrl: location.origin, publicApiKey: 'service_pub_0123456789abcdef', propertyId: 'shop' });
    client.ready().then(() => show(client.splitTest.get('test-0', '')));`,
  },
  {
    name: 'GrowthBook',
    file: installed('@growthbook/growthbook/dist/bundles/index.min.js'),
    // It leaves ids and events to the page; this is the least that counts a visitor.
    page: `const id = localStorage.getItem('id') || Math.random().toString(36);
    localStorage.setItem('id', id);
    const client = new growthbook.GrowthBook({
      apiHost: location.origin, clientKey: 'sdk-1', attributes: { id },
      trackingCallback: (experiment, result) => fetch('/track', { method: 'POST', keepalive: true,
        body: JSON.stringify({ id, experiment: experiment.key, variation: result.key }) }) });
    client.init({ timeout: 1000 }).then(() => show(client.getFeatureValue('test-0', '')));`,
  },
  {
    name: 'Unleash',
    file: installed('unleash-proxy-client/build/main.min.js'),
    page: `const client = new unleash.UnleashClient({
      url: location.origin + '/api/frontend', clientKey: 'key', appName: 'shop', refreshInterval: 0 });
    client.on('ready', () => show(client.getVariant('test-0').name));
    client.start();`,
  },
  { name: 'no SDK', page: `show('fallback');` },
];

const TESTS = Array.from({ length: 20 }, (_, i) => `test-${i}`);
const VARIATIONS = ['control', 'b'];

/** What each SDK fetches: 20 tests with two variations. */
const DEFINITIONS = {
  '/v1/split-testing/config': {
    ttl: 60,
    tests: TESTS.map((key) => ({
      key,
      id: `tst_${key}`,
      type: 'text',
      status: 'running',
      hashSeed: key,
      trafficAllocation: 100,
      variations: VARIATIONS.map((variation) => ({ key: variation, weight: 50, value: variation })),
    })),
  },
  '/api/features/sdk-1': {
    status: 200,
    features: Object.fromEntries(
      TESTS.map((key) => [
        key,
        {
          defaultValue: 'control',
          rules: [{ key, hashAttribute: 'id', variations: VARIATIONS, weights: [0.5, 0.5], coverage: 1 }],
        },
      ]),
    ),
  },
  '/api/frontend': {
    toggles: TESTS.map((name) => ({
      name,
      enabled: true,
      impressionData: false,
      variant: { name: 'b', enabled: true, feature_enabled: true, payload: { type: 'string', value: 'b' } },
    })),
  },
};

const pageOf = ({ file, page }) => `<!doctype html><title>Shop</title>
<link rel="icon" href="data:,"><button id="buy">Buy</button>${file ? '<script src="/sdk.js"></script>' : ''}
<script>
const show = (text) => { document.getElementById('buy').textContent = text; globalThis.isShown = true; };
${page}
</script>`;

/** Long enough for every SDK to send what it sends after the first view. */
const SETTLED_MS = 2500;

async function viewOnce(browser, sdk, slowdown) {
  const requests = [];
  const script = sdk.file && readFileSync(sdk.file, 'utf8');
  const server = createServer((request, response) => {
    const path = request.url.split('?', 1)[0];
    const isPage = path === '/';
    if (!isPage && path !== '/sdk.js') requests.push(`${request.method} ${path}`);
    const type = isPage ? 'text/html' : path === '/sdk.js' ? 'text/javascript' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    if (isPage) response.end(pageOf(sdk));
    else response.end(path === '/sdk.js' ? script : JSON.stringify(DEFINITIONS[path] ?? { success: true }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction('globalThis.isShown');
    await page.waitForTimeout(SETTLED_MS);
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = (name) => metrics.find((metric) => metric.name === name).value;
    // Not `ScriptDuration`, which leaves out what runs in promises after a fetch: most of the other SDKs.
    return { task: 1000 * seconds('TaskDuration'), requests };
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Rows of the comparison; the SDKs take turns, so that a busy machine affects all of them. */
export async function compareFirstViews(browser, { views, slowdown }) {
  const missing = SDKS.filter(({ file }) => file && !existsSync(file));
  if (missing.length > 0) throw new Error('Other SDKs are missing: npm ci --prefix bench');
  const results = new Map(SDKS.map((sdk) => [sdk, []]));
  for (let i = 0; i < views; i++) {
    for (const sdk of SDKS) results.get(sdk).push(await viewOnce(browser, sdk, slowdown));
  }
  const taskOf = (seen) => median(seen.map(({ task }) => task));
  const without = taskOf(results.get(SDKS.at(-1)));
  return [...results].map(([{ name, file }, seen]) => ({
    name,
    brotli: file ? brotliCompressSync(readFileSync(file)).length : 0,
    task: taskOf(seen),
    added: taskOf(seen) - without,
    requests: median(seen.map(({ requests }) => requests.length)),
  }));
}
