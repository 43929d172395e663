import { checkAtLeast } from './guarantees.js';
import { binomial, normal, options } from './random.js';
import { DAY_MS, goalOf, rateGroup, reportOf, START } from './reports.js';
import { percent, RATE } from './shop.js';

const TESTS = Math.ceil(options.tests / 20);
const MAX_DAYS = 200;
/** Forecasts are made on these days. */
const CHECKED = [8, 11, 14, 18, 22, 28, 36, 48];
const DECIDED = new Set(['ship', 'roll-back', 'no-difference']);

const CASES = [
  ['sequential', null, 0],
  ['sequential', null, 0.1],
  ['sequential', null, 0.2],
  ['sequential', null, 0.3],
  ['group-sequential, 28 days', 7000, 0],
  ['group-sequential, 28 days', 7000, 0.15],
  ['group-sequential, 28 days', 7000, 0.3],
  ['group-sequential, 56 days', 14_000, 0.15],
];

/** About 250 visitors a day, fewer at weekends, and no two days alike. */
const visitorsOn = (day) => Math.round(250 * (day % 7 < 2 ? 0.75 : 1.1) * Math.exp(0.12 * normal()));

function verdictOn(a, b, exposures, plannedVisitors) {
  return reportOf({
    keys: ['control', 'b'],
    days: exposures.length,
    goals: [goalOf('signup', 'primary')],
    groups: [
      rateGroup('control', a.n, { signup: a.converted }),
      rateGroup('b', b.n, { signup: b.converted }),
    ],
    exposures,
    plannedVisitors,
  }).verdict;
}

function addVisitors(arm, visitors, rate) {
  arm.n += visitors;
  arm.converted += binomial(visitors, rate);
}

/** Runs a test until its decision; returns its last day and the forecasts on the way. */
function simulate(plannedVisitors, uplift) {
  const [a, b] = [
    { n: 0, converted: 0 },
    { n: 0, converted: 0 },
  ];
  const [exposures, forecasts] = [[], []];
  for (let day = 1; day <= MAX_DAYS; day++) {
    const visitors = visitorsOn(day);
    const inControl = binomial(visitors, 0.5);
    addVisitors(a, inControl, RATE);
    addVisitors(b, visitors - inControl, RATE * (1 + uplift));
    const at = START + (day - 1) * DAY_MS;
    exposures.push({ at, variationKey: 'b', bot: false, exposures: visitors });
    const { decision, forecast } = verdictOn(a, b, exposures, plannedVisitors);
    if (DECIDED.has(decision)) return { end: day, forecasts };
    if (CHECKED.includes(day) && forecast) forecasts.push({ day, ...forecast });
  }
  return { end: Number.POSITIVE_INFINITY, forecasts };
}

const median = (numbers) => numbers.toSorted((x, y) => x - y)[Math.floor(numbers.length / 2)];

function forecastRows() {
  return CASES.map(([method, plannedVisitors, uplift]) => {
    const [forecasts, ends] = [[], []];
    for (let test = 0; test < TESTS; test++) {
      const result = simulate(plannedVisitors, uplift);
      ends.push(result.end);
      for (const forecast of result.forecasts)
        forecasts.push({ ...forecast, left: result.end - forecast.day });
    }
    const share = (of) => forecasts.filter(of).length / forecasts.length;
    const isRight = ({ low, high, left }) => low <= left && (high === null || left <= high);
    const effect = uplift === 0 ? 'none' : `+${Math.round(100 * uplift)} %`;
    checkAtLeast(`forecasts, ${method}, ${effect}`, share(isRight), 0.8);
    const bounded = forecasts.filter(({ high }) => high !== null);
    const end = median(ends);
    return [
      method,
      effect,
      String(forecasts.length),
      Number.isFinite(end) ? `day ${end}` : `after day ${MAX_DAYS}`,
      percent(share(isRight)),
      bounded.length === 0
        ? ''
        : `${median(bounded.map((it) => it.low))} to ${median(bounded.map((it) => it.high))} days`,
      percent(share((it) => it.inSight && it.high === null)),
      percent(share((it) => !it.inSight)),
    ];
  });
}

export const sections = [
  {
    title: `Forecasts on days ${CHECKED.join(', ')} of tests without a decision; about 250 visitors a day, conversion rate ${100 * RATE} %`,
    header: [
      'method',
      'effect',
      'forecasts',
      'median end',
      'end in the range',
      'typical range',
      'no upper end',
      'not in sight',
    ],
    rows: forecastRows,
  },
];
