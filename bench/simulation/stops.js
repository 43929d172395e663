import { RateIntervals } from '../../packages/core/dist/stats/rate-intervals.js';
import { findHarm } from '../../packages/core/dist/stats/report/harm.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, checkGuarantee, violations } from './guarantees.js';
import { binomial, options } from './random.js';
import { goalOf, rateGroup, reportInputOf } from './reports.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const MAX_FALSE_STOPS = 0.05;
/** No stop is possible as long as no z-value is below this. */
const SUSPICIOUS = -2.5;
/** In one of so many cases, it is looked for harm although nothing is suspicious. */
const CHECKED = 300;

const GOALS = [
  goalOf('signup', 'primary'),
  ...['refund', 'renewal', 'visit'].map((id) => ({ ...goalOf(id, 'guardrail'), maxHarm: 0.02 })),
];

/** One phase of a test: visitors and conversions by variation and goal. */
class Phase {
  constructor(keys, change) {
    this.keys = keys;
    this.change = change;
    this.visitors = keys.map(() => 0);
    this.converted = keys.map(() => GOALS.map(() => 0));
  }

  addDay(visitors) {
    for (const [arm, counts] of this.converted.entries()) {
      const each = Math.round(visitors / this.keys.length);
      this.visitors[arm] += each;
      for (const goal of GOALS.keys()) {
        const isChanged = arm === 1 && goal === 1;
        counts[goal] += binomial(each, isChanged ? RATE * (1 + this.change) : RATE);
      }
    }
  }

  get isSuspicious() {
    const arm = (index, goal) => ({ n: this.visitors[index], converted: this.converted[index][goal] });
    return this.keys.some((_, index) =>
      GOALS.some(
        (_goal, goal) => index > 0 && new RateIntervals(arm(0, goal), arm(index, goal)).z < SUSPICIOUS,
      ),
    );
  }

  harms(number) {
    const groups = this.keys.map((key, arm) => {
      const counts = GOALS.map(({ id }, goal) => [id, this.converted[arm][goal]]);
      return rateGroup(key, this.visitors[arm], Object.fromEntries(counts));
    });
    return findHarm(reportInputOf({ keys: this.keys, days: DAYS, goals: GOALS, groups }), number).harms;
  }
}

let skipped = 0;

/** The day on which something is stopped, if any. */
function stopDay({ keys, visitors, change, days = DAYS, daysPerPhase = days }) {
  let phase;
  for (let day = 1; day <= days; day++) {
    const number = Math.ceil(day / daysPerPhase);
    if ((day - 1) % daysPerPhase === 0) phase = new Phase(keys, change);
    phase.addDay(visitors);
    const { isSuspicious } = phase;
    if (!isSuspicious && ++skipped % CHECKED !== 0) continue;
    if (phase.harms(number).length === 0) continue;
    if (!isSuspicious) violations.push('stops: harm is found where nothing is suspicious');
    return day;
  }
  return null;
}

const keysOf = (variations) => ['control', 'b', 'c', 'd'].slice(0, variations);

function falseRows() {
  const tests = 2 * options.tests;
  return [1000, 100_000].flatMap((visitors) =>
    [
      [2, 1],
      [4, 1],
      [2, 4],
    ].map(([variations, phases]) => {
      const setup = { keys: keysOf(variations), visitors, change: 0, daysPerPhase: DAYS / phases };
      const stops = Array.from({ length: tests }, () => stopDay(setup)).filter((day) => day !== null);
      const share = stops.length / tests;
      checkGuarantee('stops without harm', share, 0, MAX_FALSE_STOPS, tests);
      return [whole(visitors), whole(variations), whole(phases), percent(share)];
    }),
  );
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function delayRows() {
  const tests = Math.ceil(options.tests / 4);
  return [1000, 100_000].flatMap((visitors) =>
    [-0.05, -0.1, -0.3].map((change) => {
      const setup = { keys: keysOf(2), visitors, change };
      const days = Array.from({ length: tests }, () => stopDay(setup)).filter((day) => day !== null);
      const share = days.length / tests;
      if (change <= -0.3) checkAtLeast('stops, harm of 30 %', share, 0.95);
      const after = days.length < tests / 20 ? '' : `day ${median(days)}`;
      return [`${Math.round(100 * change)} %`, whole(visitors), percent(share), after];
    }),
  );
}

export const sections = [
  {
    title: `Automatic stops without harm: a primary goal and three guardrails with a rate of ${100 * RATE} %, ${DAYS} daily looks, ${whole(2 * options.tests)} tests each`,
    header: ['visitors a day', 'variations', 'phases', 'stopped by mistake'],
    rows: falseRows,
  },
  {
    title: `Automatic stops of harm: one of three guardrails gets worse, ${whole(Math.ceil(options.tests / 4))} tests each`,
    header: ['harm', 'visitors a day', `stopped within ${DAYS} days`, 'median day, if stopped'],
    rows: delayRows,
  },
];
