// node bench/dashboard.js: how quick the dashboard is in Chromium, on the demo and with a lot of data. See README.md.
import { parseArgs } from 'node:util';
import { startDemo } from '../samples/shop/start-demo.js';
import { withChromium } from './lib/chromium.js';
import { ms, targetTable } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    visitors: { type: 'string', default: '52000' },
    flags: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
  },
});
const ROUNDS = Number(options.rounds);
const PAGES = [
  'Overview',
  'Traffic',
  'Split tests',
  'Flags',
  'Segments',
  'Goals',
  'Feedback',
  'Sessions',
  'History',
];

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const demo = await startDemo({ live: false, visitors: Number(options.visitors), log: console.error });
try {
  await addFlags(Number(options.flags));
  const rows = await withChromium(measure);
  console.log(targetTable(rows));
} finally {
  await demo.stop();
}

/** Flags with three rules each, like those of a large installation. */
async function addFlags(count) {
  const headers = {
    cookie: `switchyard_session=${demo.cookie}`,
    origin: demo.url,
    'content-type': 'application/json',
  };
  const rules = ['DE', 'AT', 'CH'].map((country, index) => ({
    id: `rule-${index}`,
    conditions: [{ attribute: 'country', operator: 'equals', values: [country] }],
    rollout: { percentage: 20 * (index + 1) },
    value: true,
  }));
  for (let index = 0; index < count; index++) {
    const body = { name: `Large flag ${index}`, environments: { staging: { enabled: true, rules } } };
    const url = `${demo.url}/v1/manage/properties/shop/flags/large-${index}`;
    const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`Cannot create a flag: ${await response.text()}`);
  }
}

async function measure(browser) {
  const paints = [];
  for (let round = 0; round < ROUNDS; round++) paints.push(await firstPaint(browser));
  const page = await signedInPage(browser);
  await page.goto(`${demo.url}/p/shop/overview`);
  await page.waitForLoadState('networkidle');
  const changes = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of PAGES) changes.push({ name, took: await routeChange(page, name) });
  }
  const slowest = changes.reduce((a, b) => (b.took > a.took ? b : a));
  const browsing = await browse(page);
  const under = (value) => ({ value, text: ms(value) });
  return [
    { name: 'largest contentful paint, overview, cold', value: median(paints), below: under(1500) },
    { name: 'route change, median', value: median(changes.map(({ took }) => took)), below: under(100) },
    { name: `route change, slowest (${slowest.name})`, value: slowest.took, below: under(100) },
    ...browsing.map(({ name, took }) => ({ name, value: took, below: under(300) })),
  ].map((row) => ({ ...row, text: ms(row.value) }));
}

async function signedInPage(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.addCookies([{ name: 'switchyard_session', value: demo.cookie, url: demo.url }]);
  return context.newPage();
}

/** With an empty cache. */
async function firstPaint(browser) {
  const page = await signedInPage(browser);
  await page.goto(`${demo.url}/p/shop/overview`);
  await page.waitForLoadState('networkidle');
  const paint = await page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        });
      }),
  );
  await page.context().close();
  return paint;
}

/** From the click until the heading of the page is drawn, in the browser's own time. */
const routeChange = (page, name) =>
  page.evaluate(
    (label) =>
      new Promise((resolve) => {
        const link = [...document.querySelectorAll('nav a')].find(
          (each) => each.textContent.trim() === label,
        );
        const start = performance.now();
        const check = () => {
          if (document.querySelector('h1')?.textContent !== label) return requestAnimationFrame(check);
          requestAnimationFrame(() => resolve(performance.now() - start));
        };
        link.click();
        requestAnimationFrame(check);
      }),
    name,
  );

/** The longest wait for something to appear after each action. */
async function browse(page) {
  const timed = async (name, act, isDone) => {
    const startedAt = performance.now();
    await act();
    await isDone();
    return { name, took: performance.now() - startedAt };
  };
  const go = (path, selector) => async () => {
    await page.goto(`${demo.url}/p/shop/${path}`);
    await page.locator(selector).first().waitFor();
  };
  const results = [];
  await go('flags', 'text=large-')();
  results.push(
    await timed(
      'search 1,000 flags',
      () =>
        page
          .getByRole('textbox', { name: /search/i })
          .first()
          .fill('large-777'),
      () => page.getByText('large-776').first().waitFor({ state: 'detached' }),
    ),
  );
  await go('sessions', 'a[href*="/sessions/"]')();
  results.push(
    await timed(
      'next sessions of 100,000',
      () => page.mouse.wheel(0, 20_000),
      () => grown(page, '/sessions/'),
    ),
  );
  await go('feedback', 'main')();
  return results;
}

async function grown(page, part) {
  const count = () => page.locator(`a[href*="${part}"]`).count();
  const before = await count();
  while ((await count()) <= before) await page.waitForTimeout(5);
}
