// node samples/shop/screenshots.js [DIR]: pictures of every page of the dashboard, wide and narrow, light and dark.
// Needs npm run build and Chromium. With --readme, only the pictures of the README and of the guides, into docs/images.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withChromium } from '../../bench/lib/chromium.js';
import { startDemo } from './start-demo.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});

const PAGES = {
  overview: 'overview',
  traffic: 'traffic',
  'split-tests': 'split-tests',
  library: 'split-tests?tab=library',
  results: 'split-tests/free-shipping-bar',
  'results-four-variations': 'split-tests/homepage-hero',
  'results-unhealthy': 'split-tests/search-ranking',
  'results-changed-rule': 'split-tests/product-recommendations',
  'split-test-start': 'split-tests/trust-badges',
  'split-test-editor': 'split-tests/trust-badges?tab=edit',
  flags: 'flags',
  flag: 'flags/new-checkout',
  'flag-guarded': 'flags/endless-journal',
  'flag-measured': 'flags/help-answers',
  'flag-results': 'flags/help-answers/results?env=production&rule=half',
  segments: 'segments',
  goals: 'goals',
  goal: 'goals/purchase',
  metrics: 'metrics',
  metric: 'metrics/checkout-funnel',
  'metric-new': 'metrics?new=1',
  feedback: 'feedback',
  sessions: 'sessions',
  keys: 'keys',
  history: 'history',
  settings: 'settings',
  'settings-webhooks': 'settings?tab=webhooks',
};
/** Buttons that open what a picture shows. */
const PRESSED = { 'split-test-start': 'Start' };
/** Of the README and of guides. */
const DOCUMENTED = ['overview', 'results', 'flags', 'flag', 'feedback', 'split-test-editor'];
/** Of these, a guide shows only the panels with these names. */
const CUT = { 'split-test-editor': ['Variations', 'Goals'] };
const WIDTHS = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } };

const directory = values.readme ? join('docs', 'images') : (positionals[0] ?? 'screenshots');
mkdirSync(directory, { recursive: true });
const chosen = Object.entries(PAGES).filter(([name]) => !values.readme || DOCUMENTED.includes(name));
const pages = chosen.filter(([name]) => name.includes(values.only));

const demo = await startDemo({ live: false, log: console.error });
try {
  await withChromium(async (browser) => {
    for (const colorScheme of values.readme ? ['light'] : ['light', 'dark']) {
      for (const [width, viewport] of Object.entries(values.readme ? { wide: WIDTHS.wide } : WIDTHS)) {
        await takePictures(browser, { colorScheme, viewport, width });
      }
    }
  });
} finally {
  await demo.stop();
}

async function takePictures(browser, { colorScheme, viewport, width }) {
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
  await context.addCookies([{ name: 'switchyard_session', value: demo.cookie, url: demo.url }]);
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${page.url()}: ${error.message}`));
  for (const [name, path] of pages) {
    await page.goto(`${demo.url}/p/shop/${path}`);
    await page.waitForLoadState('networkidle').catch(() => {});
    if (PRESSED[name] !== undefined) {
      await page.getByRole('button', { name: PRESSED[name], exact: true }).click();
      await page.getByRole('list', { name: 'Checklist' }).waitFor();
      // A dialog is as high as the window.
      await page.setViewportSize({ ...viewport, height: 1600 });
    }
    const file = values.readme ? `${name}.png` : `${name}-${width}-${colorScheme}.png`;
    const clip = values.readme && CUT[name] ? await placeOf(page, CUT[name]) : undefined;
    await page.screenshot({
      path: join(directory, file),
      fullPage: !values.readme || clip !== undefined,
      clip,
    });
    await page.setViewportSize(viewport);
  }
  await context.close();
}

/** The part of a page with these panels, one below the other, and a margin. */
async function placeOf(page, names) {
  const boxes = await Promise.all(
    names.map((name) => page.getByRole('region', { name, exact: true }).boundingBox()),
  );
  const [first, last] = [boxes[0], boxes.at(-1)];
  const margin = 10;
  return {
    x: first.x - margin,
    y: first.y - margin,
    width: first.width + 2 * margin,
    height: last.y + last.height - first.y + 2 * margin,
  };
}
