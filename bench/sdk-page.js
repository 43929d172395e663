// node bench/sdk-page.js: main thread time of the browser SDK in Chromium, and the first view beside other SDKs.
// Needs npm run build and npm ci --prefix bench.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { withChromium } from './lib/chromium.js';
import { compareFirstViews } from './lib/first-view.js';

const { values: options } = parseArgs({
  options: {
    pages: { type: 'string', default: '40' },
    slowdown: { type: 'string', default: '4' },
    views: { type: 'string', default: '15' },
  },
});
const PAGES = Number(options.pages);

const script = readFileSync(new URL('../packages/sdk/dist/sdk.js', import.meta.url), 'utf8');

const TESTS = Array.from({ length: 20 }, (_, i) => ({
  key: `test-${i}`,
  id: `tst_${i}`,
  type: i % 2 ? 'text' : 'json',
  status: 'running',
  hashSeed: `seed-${i}`,
  trafficAllocation: 100,
  variations: ['control', 'b'].map((key) => ({ key, weight: 50, value: `{"title":"${key}"}` })),
}));

/** The page measures itself: script evaluation, client creation, first and later reads. */
const PAGE = `<!doctype html><title>Bench</title><body><script>
const timed = (run) => { const start = performance.now(); const value = run(); return [performance.now() - start, value]; };
const text = ${JSON.stringify(script).replaceAll('<', '\\u003c')};
const [evaluation] = timed(() => (0, eval)(text + ';globalThis.switchyard = switchyard'));
const [creation, client] = timed(() => switchyard.createSwitchyard({
  apiUrl: location.origin, publicApiKey: 'service_pub_0123456789abcdef', propertyId: 'shop',
}));
const measured = client.ready().then(() => {
  const [first] = timed(() => client.splitTest.get('test-0', ''));
  const [others] = timed(() => { for (let i = 1; i < 20; i++) client.splitTest.get('test-' + i, ''); });
  const [again] = timed(() => { for (let i = 0; i < 10000; i++) client.splitTest.get('test-' + i % 20, ''); });
  const [track] = timed(() => { for (let i = 0; i < 10; i++) client.track('event', { number: i }); });
  const [batches] = timed(() => { client.flush(); });
  return { evaluation, creation, first, other: others / 19, again: again / 10000, track: track / 10, batches };
});
</script>`;

/** The cost of storage, cookies and one request without the SDK. */
const BARE = `<!doctype html><title>Bare</title><body><script>
const start = performance.now();
localStorage.getItem('sy_session');
document.cookie;
for (const key of ['a', 'b', 'c', 'd']) localStorage.setItem(key, String(start));
for (const key of ['a', 'b']) document.cookie = key + '=' + start + ';path=/;max-age=60';
fetch('/v1/split-testing/config');
const measured = { bare: performance.now() - start };
</script>`;

function startServer() {
  const server = createServer((request, response) => {
    const isConfig = request.url.startsWith('/v1/split-testing/config');
    const isPage = !request.url.startsWith('/v1/');
    response.writeHead(200, {
      'content-type': isPage ? 'text/html' : 'application/json',
      // Timers of isolated pages are precise to 5 microseconds instead of 100.
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    if (isPage) response.end(request.url === '/bare' ? BARE : PAGE);
    else response.end(JSON.stringify(isConfig ? { tests: TESTS, ttl: 60 } : { success: true }));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const at = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

async function measure(browser, url, slowdown) {
  const context = await browser.newContext();
  const results = { first: [], next: [], bare: [] };
  for (let i = 0; i < PAGES; i++) {
    // Every other page is a first visit; the next page finds its cookies, session and definitions.
    if (i % 2 === 0) await context.clearCookies();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    if (i % 2 === 0) {
      const origin = new URL(url).origin;
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
    }
    await page.goto(url);
    results[i % 2 === 0 ? 'first' : 'next'].push(await page.evaluate('measured'));
    await page.close();
    if (i % 2 === 0) continue;
    const bare = await context.newPage();
    await (await context.newCDPSession(bare)).send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await bare.goto(`${url}bare`);
    results.bare.push((await bare.evaluate('measured')).bare);
    await bare.close();
  }
  await context.close();
  return results;
}

const ROWS = [
  ['evaluation', 'evaluate the script'],
  ['creation', 'createSwitchyard, including the page view'],
  ['first', 'first get'],
  ['other', 'first get of another test'],
  ['again', 'each later get'],
  ['track', 'track'],
  ['batches', 'flush: build and send the batches'],
];
const micro = (values, share) => {
  const value = at(values, share) * 1000;
  return value < 10 ? value.toFixed(2) : String(Math.round(value));
};

async function report(browser, url) {
  console.log(
    `sdk.js: ${script.length} bytes, ${brotliCompressSync(script).length} brotli; Chromium ${browser.version()}, ${cpus().length} cores, ${PAGES} pages`,
  );
  for (const slowdown of [1, Number(options.slowdown)]) {
    const { first, next, bare } = await measure(browser, url, slowdown);
    console.log(`\nMain thread, microseconds${slowdown > 1 ? `, CPU throttled ${slowdown}x` : ''}\n`);
    console.log('| | first visit p50 | p90 | next page p50 | p90 |\n| --- | ---: | ---: | ---: | ---: |');
    for (const [key, name] of ROWS) {
      const [a, b] = [first.map((it) => it[key]), next.map((it) => it[key])];
      console.log(`| ${name} | ${micro(a, 0.5)} | ${micro(a, 0.9)} | ${micro(b, 0.5)} | ${micro(b, 0.9)} |`);
    }
    const name = 'for comparison: storage, cookies and one fetch without the SDK';
    console.log(`| ${name} | | | ${micro(bare, 0.5)} | ${micro(bare, 0.9)} |`);
  }
}

/** CPU time of the main thread, from an empty cache until everything was sent. */
async function reportFirstViews(browser) {
  const rows = await compareFirstViews(browser, { views: Number(options.views), slowdown: 1 });
  console.log('\nFirst view, milliseconds of CPU time, medians\n');
  console.log(
    '| | all tasks | added by the SDK | requests | brotli bytes |\n| --- | ---: | ---: | ---: | ---: |',
  );
  for (const { name, task, added, requests, brotli } of rows) {
    console.log(`| ${name} | ${task.toFixed(1)} | ${added.toFixed(1)} | ${requests} | ${brotli} |`);
  }
}

const server = await startServer();
try {
  await withChromium(async (browser) => {
    await report(browser, `http://127.0.0.1:${server.address().port}/`);
    await reportFirstViews(browser);
  });
} finally {
  server.close();
}
