import { planGuardrail } from '../../packages/core/dist/stats/planner.js';
import { RateIntervals } from '../../packages/core/dist/stats/rate-intervals.js';
import { sequentialCritical } from '../../packages/core/dist/stats/sequential.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, checkGuarantee, violations } from './guarantees.js';
import { binomial, options } from './random.js';
import { goalOf, rateGroup, reportOf } from './reports.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const SEQUENTIAL_N = 5000;
const KEYS = ['control', 'b'];
const MAX_HARM = 0.05;
/** One in so many reports is built although no guardrail is worse. */
const CHECKED = 200;
/** The longest time until a guardrail is safe that is waited for. */
const MAX_DAYS = 400;

const criticalAfter = (visitors) => sequentialCritical(visitors, 0.05, SEQUENTIAL_N);

/** Two arms, with the conversions of some goals that all have the same rate. */
class Shop {
  n = 0;
  converted = KEYS.map(() => []);

  constructor(goals, change) {
    this.goals = goals;
    this.change = change;
    for (const counts of this.converted) counts.push(...goals.map(() => 0));
  }

  addDay(visitors) {
    const each = Math.round(visitors / 2);
    this.n += each;
    for (const [arm, counts] of this.converted.entries()) {
      for (const goal of counts.keys()) {
        const isChanged = arm === 1 && this.goals[goal].role === 'guardrail';
        counts[goal] += binomial(each, isChanged ? RATE * (1 + this.change) : RATE);
      }
    }
  }

  z(goal) {
    const arm = (index) => ({ n: this.n, converted: this.converted[index][goal] });
    return new RateIntervals(arm(0), arm(1)).z;
  }

  report(day, settings) {
    const groups = KEYS.map((key, arm) => {
      const counts = this.goals.map(({ id }, goal) => [id, this.converted[arm][goal]]);
      return rateGroup(key, this.n, Object.fromEntries(counts));
    });
    return reportOf({ keys: KEYS, days: day, goals: this.goals, groups, ...settings });
  }
}

const guardrails = (count) => [
  goalOf('signup', 'primary'),
  ...Array.from({ length: count }, (_, index) => ({
    ...goalOf(`guardrail-${index}`, 'guardrail'),
    maxHarm: MAX_HARM,
  })),
];

let skipped = 0;

/** The day of the roll-back, if any. Reports are only built when a guardrail is worse without any correction. */
function rollBackDay(shop, visitors, settings) {
  for (let day = 1; day <= DAYS; day++) {
    shop.addDay(visitors);
    const limit = -criticalAfter(2 * shop.n);
    const isSuspect = shop.goals.some(({ role }, goal) => role === 'guardrail' && shop.z(goal) < limit);
    if (!isSuspect && ++skipped % CHECKED !== 0) continue;
    const { decision, reason } = shop.report(day, settings).verdict;
    if (decision !== 'roll-back' || reason !== 'guardrail') continue;
    if (!isSuspect) violations.push('guardrails: a report decides otherwise');
    return day;
  }
  return null;
}

function falseRows() {
  const tests = 2 * options.tests;
  return [250, 5000].flatMap((visitors) =>
    ['holm', 'none'].map((correction) => {
      let alarms = 0;
      for (let test = 0; test < tests; test++) {
        const settings = {
          statistics: { engine: 'frequentist', correction },
          plannedVisitors: DAYS * visitors,
        };
        if (rollBackDay(new Shop(guardrails(3), 0), visitors, settings) !== null) alarms++;
      }
      const share = alarms / tests;
      if (correction === 'holm') checkGuarantee('guardrails, false roll-backs', share, 0, 0.05, tests);
      return [whole(visitors), correction, percent(share)];
    }),
  );
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function harmRows() {
  const tests = Math.ceil(options.tests / 4);
  return [250, 5000].flatMap((visitors) =>
    [-0.05, -0.1, -0.3].map((change) => {
      const days = [];
      for (let test = 0; test < tests; test++) {
        const settings = { statistics: { engine: 'frequentist' }, plannedVisitors: DAYS * visitors };
        const day = rollBackDay(new Shop(guardrails(1), change), visitors, settings);
        if (day !== null) days.push(day);
      }
      if (change <= -0.3) checkAtLeast('guardrails, harm of 30 % found', days.length / tests, 0.8);
      const after = days.length < tests / 20 ? '' : `day ${median(days)}`;
      return [`${Math.round(100 * change)} %`, whole(visitors), percent(days.length / tests), after];
    }),
  );
}

/** The first day on which harm beyond the margin is excluded; the report confirms it. */
function safeDay(visitors, maxHarm) {
  const [, guardrail] = guardrails(1);
  const shop = new Shop([goalOf('signup', 'primary'), { ...guardrail, maxHarm }], 0);
  for (let day = 1; day <= MAX_DAYS; day++) {
    shop.addDay(visitors);
    const [base, changed] = shop.converted.map((counts) => counts[1] / shop.n);
    const error = Math.sqrt((2 * RATE * (1 - RATE)) / shop.n) / RATE;
    // A tenth of the width of the interval is enough reserve for this estimate of its lower end.
    const low = changed / base - 1 - 0.9 * criticalAfter(2 * shop.n) * error;
    if (low > -maxHarm && shop.report(day, {}).goals[1].state === 'safe') return day;
  }
  return Infinity;
}

function safeRows() {
  const tests = Math.ceil(options.tests / 10);
  return [250, 5000].flatMap((visitors) =>
    [0.02, 0.05, 0.1].map((maxHarm) => {
      const planned = planGuardrail({ baseline: { metric: 'proportion', rate: RATE }, maxHarm });
      const plannedDays = Math.ceil(planned / visitors);
      const name = `${Math.round(100 * maxHarm)} %`;
      const row = [name, whole(visitors), whole(planned), whole(plannedDays)];
      if (plannedDays > MAX_DAYS) return [...row, '', ''];
      const days = Array.from({ length: tests }, () => safeDay(visitors, maxHarm));
      const share = days.filter((day) => day <= plannedDays).length / tests;
      checkGuarantee(`guardrails, safe as planned, margin ${name}`, share, 0.8, 1, tests);
      return [...row, `day ${median(days)}`, percent(share)];
    }),
  );
}

export const sections = [
  {
    title: `Guardrails without an effect: false roll-backs in ${DAYS} days, three guardrails, method frequentist, ${whole(2 * options.tests)} tests each`,
    header: ['visitors a day', 'correction', 'false roll-backs'],
    rows: falseRows,
  },
  {
    title: `Guardrails that are harmed: one guardrail with a rate of ${100 * RATE} %, margin ${100 * MAX_HARM} %, ${whole(Math.ceil(options.tests / 4))} tests each`,
    header: ['harm', 'visitors a day', `found within ${DAYS} days`, 'median day, if found'],
    rows: harmRows,
  },
  {
    title: `Guardrails without harm: when harm beyond the margin is excluded, ${whole(Math.ceil(options.tests / 10))} tests each`,
    header: [
      'margin',
      'visitors a day',
      'planned visitors',
      'planned days',
      'median day',
      'excluded by then',
    ],
    rows: safeRows,
  },
];
