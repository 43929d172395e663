import { covariateImbalance } from '../../packages/core/dist/stats/report/covariate-balance.js';
import { NONE_BEFORE, noGoalSums } from '../../packages/core/dist/stats/report/report-counts.js';
import { whole } from '../lib/report.js';
import { checkGuarantee } from './guarantees.js';
import { normal, options, poisson, random } from './random.js';
import { goalOf } from './reports.js';
import { percent } from './shop.js';

const LOOKS = 28;

/** Counts of an arm, as `covariateImbalance` reads them. */
class ArmBefore {
  visitors = 0;
  orders = 0;
  ordersSquares = 0;
  before = { ...NONE_BEFORE };

  add(factor) {
    this.visitors++;
    if (random() < 0.5) return;
    const sessions = 1 + poisson(2);
    const orders = poisson(0.15 * sessions * factor);
    const revenue = orders * 40 * Math.exp(0.5 * normal());
    this.orders += orders;
    this.ordersSquares += orders * orders;
    this.before.known++;
    this.before.sessions += sessions;
    this.before.sessionsSquares += sessions * sessions;
    this.before.revenue += revenue;
    this.before.revenueSquares += revenue * revenue;
    this.before.knownRevenue += revenue;
    this.before.product += revenue * sessions;
  }

  countsAs(key) {
    const none = noGoalSums('order');
    const conversions = {
      ...none.conversions,
      covariateSum: this.orders,
      covariateSumSquares: this.ordersSquares,
    };
    const goals = new Map([['order', { ...none, conversions }]]);
    return { key, visitors: this.visitors, before: this.before, goals, strata: [] };
  }
}

function isTurnedOff(visitors, factor) {
  const arms = { control: new ArmBefore(), b: new ArmBefore() };
  for (let look = 0; look < LOOKS; look++) {
    for (let i = 0; i < visitors; i++) {
      if (i % 2 === 0) arms.control.add(1);
      else arms.b.add(factor);
    }
    const counts = Object.entries(arms).map(([key, arm]) => arm.countsAs(key));
    if (covariateImbalance(counts, [goalOf('order', 'primary')])) return true;
  }
  return false;
}

function balanceRows() {
  return [0, 0.1, 0.2, 0.3].map((moved) => {
    const cells = [250, 2500].map((visitors) => {
      const tests = Math.ceil(options.tests / (moved === 0 && visitors === 250 ? 1 : 10));
      let found = 0;
      for (let test = 0; test < tests; test++) found += Number(isTurnedOff(visitors, 1 + moved)) / tests;
      if (moved === 0) checkGuarantee('covariate check, false alarms', found, 0, 0.001, tests);
      return `${percent(found)} of ${whole(tests)}`;
    });
    return [moved === 0 ? 'not' : `by +${Math.round(100 * moved)} %`, ...cells];
  });
}

export const sections = [
  {
    title: `Covariate check: how often CUPED is turned off at one of ${LOOKS} daily looks`,
    header: ['orders before the test were moved', '250 visitors a day', '2,500 visitors a day'],
    rows: balanceRows,
  },
];
