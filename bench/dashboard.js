// node bench/dashboard.js: how quick the dashboard is in Chromium, on the demo and with a lot of data. See README.md.
import { parseArgs } from 'node:util';
import { startDemo } from '../samples/shop/start-demo.js';
import { withChromium } from './lib/chromium.js';
import { ms, targetTable } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    visitors: { type: 'string', default: '52000' },
    flags: { type: 'string', default: '1000' },
    feedback: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});
const ROUNDS = Number(options.rounds);
const DAY = 86_400_000;
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

const under = (limit) => ({ value: limit, text: ms(limit) });
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

let demo;
const rows = [
  ...(await withDemo({}, () => withChromium(measureOpening))),
  ...(await withDemo({ visitors: Number(options.visitors) }, async () => {
    await addFlags(Number(options.flags));
    await addFeedback(Number(options.feedback));
    return [...(await withChromium(measureBrowsing)), ...(await measureQuestions())];
  })),
];
console.log(targetTable(rows.map((row) => ({ ...row, text: ms(row.value) }))));

async function withDemo(size, measure) {
  demo = await startDemo({ live: false, log: console.error, ...size });
  try {
    return await measure();
  } finally {
    await demo.stop();
  }
}

/** Calls the API as the owner of the demo. */
async function call(method, path, body) {
  const headers = { cookie: `switchyard_session=${demo.cookie}`, origin: demo.url };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(demo.url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

/** Flags with three rules each, like those of a large installation. */
async function addFlags(count) {
  const rules = ['DE', 'AT', 'CH'].map((country, index) => ({
    id: `rule-${index}`,
    conditions: [{ attribute: 'country', operator: 'equals', values: [country] }],
    rollout: { percentage: 20 * (index + 1) },
    value: true,
  }));
  for (let index = 0; index < count; index++) {
    const environments = { staging: { enabled: true, rules } };
    const body = { type: 'boolean', defaultValue: false, name: `Large flag ${index}`, environments };
    await call('PUT', `/v1/manage/properties/shop/flags/large-${index}`, body);
  }
}

/** Ratings in the newest sessions, with a text in every second one. */
async function addFeedback(count) {
  const { sessions } = await call('GET', '/v1/sessions?propertyId=shop&limit=100');
  const submit = (index) => {
    const body = { propertyId: 'shop', feedbackTypeId: 'page-rating', option: ['great', 'poor'][index % 2] };
    if (index % 2 === 0) body.message = `Message number ${index}`;
    const { sessionId } = sessions[index % sessions.length];
    return fetch(`${demo.url}/v1/feedback/submit`, {
      method: 'POST',
      headers: { 'x-api-key': demo.keys.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, sessionId }),
    });
  };
  for (let index = 0; index < count; index += 50) {
    const responses = await Promise.all(Array.from({ length: 50 }, (_, offset) => submit(index + offset)));
    const refused = responses.find(({ ok }) => !ok);
    if (refused !== undefined) throw new Error(`Cannot submit feedback: ${await refused.text()}`);
  }
}

/** What the slowest panels ask the server, all sessions of the store in the period. */
async function measureQuestions() {
  const to = Date.now();
  const period = `propertyId=shop&from=${to - 90 * DAY}&to=${to}`;
  const flag = await call('GET', '/v1/manage/properties/shop/flags/new-checkout');
  const impact = { type: 'flag', key: flag.key, definition: { ...flag, environments: {} }, days: 30 };
  const questions = {
    'traffic, figures of 90 days': () => call('GET', `/v1/traffic/summary?${period}`),
    'traffic, by day': () => call('GET', `/v1/traffic/series?${period}&interval=day`),
    'traffic, pages': () => call('GET', `/v1/traffic/breakdown?${period}&by=page`),
    'who is affected': () => call('POST', '/v1/manage/properties/shop/impact', impact),
  };
  const rows = [];
  for (const [name, ask] of Object.entries(questions)) {
    const value = await slowestOf(ROUNDS, ask);
    rows.push({ name, value, below: under(name === 'who is affected' ? 2000 : 300) });
  }
  return rows;
}

async function slowestOf(rounds, act) {
  let slowest = 0;
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await act();
    slowest = Math.max(slowest, performance.now() - startedAt);
  }
  return slowest;
}

/** The demo as it is. */
async function measureOpening(browser) {
  const paints = [];
  for (let round = 0; round < ROUNDS; round++) paints.push(await firstPaint(browser));
  const page = await openOverview(browser);
  const changes = [];
  for (const name of PAGES) {
    const took = [];
    for (let round = 0; round < ROUNDS; round++) {
      await timeInPage(page, { click: 'nav a', text: 'API keys', until: 'h1', has: 'API keys' });
      // Somebody looks at the page; its figures arrive.
      await page.waitForTimeout(400);
      took.push(await routeChange(page, name));
    }
    changes.push({ name, took: median(took) });
  }
  const slowest = changes.reduce((a, b) => (b.took > a.took ? b : a));
  return [
    { name: 'largest contentful paint, overview, cold', value: median(paints), below: under(1500) },
    { name: 'route change, median', value: median(changes.map(({ took }) => took)), below: under(100) },
    { name: `route change, slowest page (${slowest.name})`, value: slowest.took, below: under(100) },
  ];
}

/** A lot of data. */
async function measureBrowsing(browser) {
  const results = await browse(await openOverview(browser));
  return results.map(({ name, value }) => ({ name, value, below: under(300) }));
}

/** With the code of all pages loaded, so that route changes need no network. */
async function openOverview(browser) {
  const page = await signedInPage(browser);
  await page.goto(`${demo.url}/p/shop/overview`);
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('settings-page')),
  );
  await page.waitForLoadState('networkidle');
  return page;
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

/** From the click until the heading of the page is drawn. */
function routeChange(page, name) {
  return timeInPage(page, { click: 'nav a', text: name, until: 'h1', has: name, canLoad: true });
}

/** The waits of somebody who looks through lists, each until everything is there. */
async function browse(page) {
  const session = 'main a[href*="/sessions/"]';
  const last = Number(options.flags) - 1;
  const feedback = 'ol[aria-label="Feedback"] > li';
  const actions = {
    'open 1,000 flags': { click: 'nav a', text: 'Flags', until: 'a[href*="/flags/large-"]' },
    'search 1,000 flags': {
      type: `large-${last}`,
      until: 'main a[href*="/flags/"]',
      has: `Large flag ${last}`,
    },
    'open a flag': { click: `a[href$="/flags/large-${last}"]`, until: 'h1', has: `Large flag ${last}` },
    'open 100,000 sessions': { click: 'nav a', text: 'Sessions', until: session },
    'next sessions': { click: 'main button', text: 'Show earlier', until: session, isMore: true },
    'open a session': { click: session, until: 'h1', has: 'Session' },
    'open 10,000 feedback entries': { click: 'nav a', text: 'Feedback', until: feedback },
    'next feedback': { click: 'main button', text: 'Show earlier', until: feedback, isMore: true },
    'filter feedback': { click: 'main label', text: 'With text', until: feedback, isOther: true },
  };
  const results = [];
  for (const [name, action] of Object.entries(actions)) {
    results.push({ name, value: await timeInPage(page, action) });
  }
  return results;
}

/**
 * How long it takes in the browser's own time from a click, or from typing into the search field, until nothing loads
 * any more and the first element of `until` begins with `has`, there are more elements (`isMore`), or it is not the
 * list of before (`isOther`).
 */
function timeInPage(page, action) {
  return page.evaluate(
    ({ click, text, type, until, has = '', isMore, isOther, canLoad }) =>
      new Promise((resolve, reject) => {
        const all = (selector) => [...document.querySelectorAll(selector)];
        const list = () => all(until).map(({ textContent }) => textContent);
        const before = list();
        const isDone = () => {
          const now = list();
          if (!now[0]?.startsWith(has)) return false;
          if (isMore && now.length <= before.length) return false;
          if (isOther && now.join() === before.join()) return false;
          return canLoad || all('main [aria-busy="true"], main [aria-label^="Loading"]').length === 0;
        };
        const start = performance.now();
        const check = () => {
          if (performance.now() - start > 10_000)
            return reject(new Error(`No ${until} after ${click ?? type}`));
          if (!isDone()) return requestAnimationFrame(check);
          requestAnimationFrame(() => resolve(performance.now() - start));
        };
        if (type === undefined) {
          all(click)
            .find((each) => text === undefined || each.textContent.trim().startsWith(text))
            .click();
        } else {
          const field = document.querySelector('main input[type="search"], main input[type="text"]');
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, type);
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }
        requestAnimationFrame(check);
      }),
    action,
  );
}
