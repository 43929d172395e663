import { PROPERTY } from '../fixture.js';
import { whole } from '../report.js';
import { collect, expose, outcomeOf, results, send } from './requests.js';

const DAY = 24 * 60 * 60 * 1000;

const exposure = (i, fields) => ({
  splitTestKey: 'hero',
  variationKey: i % 2 === 0 ? 'control' : 'b',
  sessionId: `visit-${i}`,
  ...fields,
});

const values = { small: 5000, full: 50_000 };
const days = Math.floor(Date.now() / DAY);
const storedDays = (scale) => (scale === 'small' ? 2000 : days);

/** Reports whose size depends on public requests. */
export const REPORT_ATTACKS = [
  {
    name: 'breakdown',
    size: (scale) => `${whole(values[scale])} values of an attribute`,
    prepare: ({ url, scale }) =>
      expose(url, values[scale], (i) => exposure(i, { attributes: { plan: `plan-${i}` } })),
    run: async ({ url }) => outcomeOf(await results(url, 'hero', '&by=plan')),
  },
  {
    name: 'country',
    size: () => '30 requests with forged countries',
    prepare: ({ url }) =>
      expose(url, 30 * 500, (i) => exposure(i, { attributes: { country: `country-${i}` } })),
    run: async ({ url }) => outcomeOf(await results(url, 'hero', '&by=country')),
  },
  {
    name: 'series',
    size: () => `exposures sent for ${whole(days)} days since 1970`,
    prepare: ({ url }) => expose(url, days, (i) => exposure(i, { timestamp: Date.now() - i * DAY })),
    run: async ({ url }) => outcomeOf(await results(url, 'hero', '&include=series')),
  },
  {
    name: 'series-stored',
    size: (scale) => `30 variations, stored ${whole(storedDays(scale))} days`,
    fill: (scale) => ['oldDays', storedDays(scale)],
    run: async ({ url }) => outcomeOf(await results(url, 'long-ago', '&include=series')),
  },
  {
    name: 'variations',
    size: () => '100 variations',
    prepare: ({ url }) =>
      expose(url, 5000, (i) => exposure(i, { splitTestKey: 'hundred', variationKey: `v${i % 100}` })),
    run: async ({ url }) => outcomeOf(await results(url, 'hundred', '&include=series')),
  },
  {
    name: 'pages',
    size: (scale) => `${whole(values[scale])} page views of different URLs`,
    prepare: ({ url, scale }) =>
      collect(url, values[scale], (i) => ({ type: 'pageview', url: `/${i}/${'x'.repeat(1000)}` })),
    run: async ({ url }) =>
      outcomeOf(await send(url, `/v1/traffic/breakdown?propertyId=${PROPERTY}&by=page&limit=500`)),
  },
];
