import { monitoredCritical } from '../../packages/core/dist/stats/group-sequential/monitoring.js';
import { planTest } from '../../packages/core/dist/stats/planner.js';
import { RateIntervals } from '../../packages/core/dist/stats/rate-intervals.js';
import { whole } from '../lib/report.js';
import { checkAtMost, checkGuarantee, violations } from './guarantees.js';
import { binomial, options } from './random.js';
import { goalOf, rateGroup, reportOf } from './reports.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const MORE_DAYS = 14;
const TESTS = 5 * options.tests;

const size = planTest({
  method: 'frequentist',
  baseline: { metric: 'proportion', rate: RATE },
  smallestEffect: { kind: 'relative', value: 0.25 },
}).visitorsPerVariation;

const KEYS = ['control', 'b'];
const DECISIVE = new Set(['ship', 'roll-back']);

/** A test without an effect that nobody stops: was it ever significant until its plan, and in the days after it? */
function runOn(checksReports) {
  const visitors = { control: 0, b: 0 };
  const converted = { control: 0, b: 0 };
  const daily = Math.ceil(size / DAYS);
  const groups = () => KEYS.map((key) => rateGroup(key, visitors[key], { signup: converted[key] }));
  let [planned, later, frozen, plannedEnd] = [false, false, false];
  for (let day = 1; day <= DAYS + MORE_DAYS; day++) {
    for (const key of KEYS) {
      visitors[key] += daily;
      converted[key] += binomial(daily, RATE);
    }
    const arm = (key) => ({ n: visitors[key], converted: converted[key] });
    const z = Math.abs(new RateIntervals(arm('control'), arm('b')).z);
    const fraction = visitors.b / (DAYS * daily);
    const isSignificant = z > monitoredCritical({ fraction, spending: 'obrien-fleming' }, 0.05);
    if (day <= DAYS) planned ||= isSignificant;
    else later ||= isSignificant;
    if (day === DAYS) plannedEnd = { at: day, groups: groups() };
    if (day < DAYS || !checksReports) continue;
    const { verdict } = reportOf({
      keys: KEYS,
      days: day,
      goals: [goalOf('signup', 'primary')],
      groups: groups(),
      plannedVisitors: 2 * DAYS * daily,
      plannedEnd,
    });
    if (day === DAYS) frozen = DECISIVE.has(verdict.decision);
    else if (frozen !== DECISIVE.has(verdict.decision))
      violations.push('planned end: the answer is not frozen');
  }
  return { planned, later: planned || later };
}

const ATTRIBUTION_DAYS = 7;
/** Mean time from the exposure to the conversion. */
const DELAY_DAYS = 2;
const LATE = `${DELAY_DAYS} days later on average`;
const ATTRIBUTED = `${ATTRIBUTION_DAYS} days later, when the attribution ends`;

/** Conversions come late: those of the planned visitors count until their attribution ends. */
function delayedTest(looksPerDay) {
  const steps = DAYS * looksPerDay;
  const criticals = Array.from({ length: steps + ATTRIBUTION_DAYS * looksPerDay }, (_, index) =>
    monitoredCritical({ fraction: Math.min(1, (index + 1) / steps), spending: 'obrien-fleming' }, 0.05),
  );
  const readyShare = 1 - Math.exp(-1 / (DELAY_DAYS * looksPerDay));
  return () => {
    const arms = KEYS.map(() => ({ n: 0, converted: 0, waiting: 0 }));
    let [planned, later] = [false, false];
    for (const [index, critical] of criticals.entries()) {
      const n = Math.round(size * Math.min(1, (index + 1) / steps));
      for (const arm of arms) {
        arm.waiting += binomial(n - arm.n, RATE);
        arm.n = n;
        const ready = binomial(arm.waiting, readyShare);
        arm.converted += ready;
        arm.waiting -= ready;
      }
      const isSignificant = Math.abs(new RateIntervals(...arms).z) > critical;
      if (index < steps) planned ||= isSignificant;
      else later ||= isSignificant;
    }
    return { planned, later: planned || later };
  };
}

/** Shares of the tests that were significant until the planned end, and later. */
function sharesOf(tests, simulate) {
  let [planned, later] = [0, 0];
  for (let test = 0; test < tests; test++) {
    const found = simulate(test);
    planned += Number(found.planned) / tests;
    later += Number(found.later) / tests;
  }
  return { planned, later };
}

function runOnRows() {
  const { planned, later } = sharesOf(TESTS, (test) => runOn(test % 50 === 0));
  const daily = sharesOf(TESTS, delayedTest(1));
  const often = sharesOf(TESTS, delayedTest(48));
  checkGuarantee('planned end, false alarms', planned, 0, 0.05, TESTS);
  checkGuarantee('planned end, late conversions', Math.max(daily.later, often.planned), 0, 0.05, TESTS);
  checkAtMost('planned end, late conversions, looking all the time', often.later, 0.07);
  return [
    ['at once', 'every day', 'planned end', percent(planned)],
    ['at once', 'every day', `${MORE_DAYS} days later; the answer is frozen`, percent(planned)],
    ['at once', 'every day', `${MORE_DAYS} days later, if it went on with the last boundary`, percent(later)],
    [LATE, 'every day', 'planned end', percent(daily.planned)],
    [LATE, 'every day', ATTRIBUTED, percent(daily.later)],
    [LATE, '48 times a day', 'planned end', percent(often.planned)],
    [LATE, '48 times a day', ATTRIBUTED, percent(often.later)],
  ];
}

export const sections = [
  {
    title: `After the planned end: ${whole(TESTS)} tests without an effect, 2 × ${whole(size)} visitors over ${DAYS} days`,
    header: ['conversions come', 'looking', 'until', 'false alarms'],
    rows: runOnRows,
  },
];
