import { DEFAULT_STATISTICS } from '../../packages/core/dist/api/statistics.js';
import { compareGoals, comparisonSettings } from '../../packages/core/dist/stats/report/goal-comparison.js';
import { variationCounts } from '../../packages/core/dist/stats/report/report-counts.js';
import { whole } from '../lib/report.js';
import { checkGuarantee, checkMean } from './guarantees.js';
import { exponential, normal, options, random } from './random.js';
import { goalOf } from './reports.js';
import { percent } from './shop.js';
import { groupsOf } from './visitor-groups.js';

const KEYS = ['control', 'b'];
const PRE_DAYS = 14;
const PHASE_DAYS = 14;
const ATTRIBUTION_DAYS = 7;
const CHANGE = PRE_DAYS + PHASE_DAYS;
const END = CHANGE + PHASE_DAYS;
const VISITORS = 6000;
const TESTS = Math.ceil(options.tests / 10);
/** Mean time from a session to its conversion. */
const DELAY = 1;

/**
 * A visitor comes back again and again, some more often and some more willing to convert than others. In the test, each
 * session shows the variation of its phase, which changes the chance of a conversion.
 *
 * @param weights of the control in each phase
 * @param loyalty how much more willing visitors are in the second phase, if they come back
 */
function drawVisitor({ weights, uplift, loyalty = 1 }) {
  const bucket = random();
  const rate = 0.12 * Math.exp(0.7 * normal());
  const willing = Math.min(0.5, 0.1 * Math.exp(0.9 * normal()));
  const [sessions, exposures, conversions] = [[], [], []];
  for (let at = exponential(1 / rate); at < END; at += exponential(1 / rate)) {
    sessions.push(at);
    const phase = at < PRE_DAYS ? 0 : at < CHANGE ? 1 : 2;
    const variation = bucket < weights[phase - 1] ? 0 : 1;
    if (phase > 0) exposures.push({ at, phase, variation });
    const isReturning = phase === 2 && exposures[0].phase === 1;
    const chance = willing * (phase > 0 && variation === 1 ? 1 + uplift : 1) * (isReturning ? loyalty : 1);
    if (random() < chance) conversions.push(at + exponential(DELAY));
  }
  return { sessions, exposures, conversions: conversions.sort((a, b) => a - b) };
}

/** Conversions per visitor of a phase, compared as in a report that is evaluated once. */
function compareIn(groups, cuped) {
  const input = {
    variations: KEYS.map((key) => ({ key, weight: 1 })),
    goals: [goalOf('signup', 'primary')],
    statistics: { ...DEFAULT_STATISTICS, engine: 'frequentist' },
    plannedVisitors: null,
    includeBots: false,
    groups,
  };
  const counts = variationCounts(input);
  const [{ metrics }] = compareGoals(comparisonSettings(input, counts, cuped), counts, 'all');
  return metrics.find(({ metric }) => metric === 'conversions-per-visitor').variations[1];
}

/** Mean and standard error of the estimates, false alarms and intervals that contain the true effect. */
class Findings {
  tests = 0;
  sum = 0;
  squares = 0;
  errors = 0;
  significant = 0;
  right = 0;

  add({ relative, standardError, pValue }, truth) {
    this.tests++;
    this.sum += relative.estimate;
    this.squares += relative.estimate ** 2;
    this.errors += standardError;
    this.significant += Number(pValue < 0.05);
    const isRight = !(relative.low > truth) && !(relative.high !== null && relative.high < truth);
    this.right += Number(isRight);
  }

  get mean() {
    return this.sum / this.tests;
  }

  get standardError() {
    return Math.sqrt((this.squares / this.tests - this.mean ** 2) / this.tests);
  }
}

const signed = (share) => `${share < 0 ? '-' : '+'}${percent(Math.abs(share))}`;

/** Phase 1 and 2 of a test whose weights change, without and with covariates. */
function changeRows() {
  const uplift = 0.3;
  return [
    ['50:50 → 60:40', [0.5, 0.6], VISITORS, TESTS],
    ['50:50 → 90:10', [0.5, 0.9], VISITORS, TESTS],
    // With fewer visitors, new and returning ones of the small variation would be too few to be compared separately.
    ['50:50 → 99:1', [0.5, 0.99], 4 * VISITORS, Math.ceil(TESTS / 2)],
  ].flatMap(([name, weights, size, tests]) => {
    const findings = [1, 2].flatMap((phase) =>
      [false, true].map((cuped) => ({ phase, cuped, found: new Findings() })),
    );
    for (let test = 0; test < tests; test++) {
      const visitors = Array.from({ length: size }, () => drawVisitor({ weights, uplift }));
      const counted = [1, 2].map((phase) =>
        groupsOf(visitors, {
          phase,
          keys: KEYS,
          until: (phase === 1 ? CHANGE : END) + ATTRIBUTION_DAYS,
          preDays: PRE_DAYS,
        }),
      );
      for (const { phase, cuped, found } of findings) found.add(compareIn(counted[phase - 1], cuped), uplift);
    }
    return findings.map(({ phase, cuped, found }) => {
      checkMean(`phases, ${name}, phase ${phase}`, found.mean, found.standardError, uplift);
      checkGuarantee(
        `phases, ${name}, phase ${phase}, intervals`,
        found.right / found.tests,
        0.94,
        1,
        found.tests,
      );
      return [
        name,
        `${whole(tests)} × ${whole(size)}`,
        String(phase),
        cuped ? 'on' : 'off',
        `${signed(found.mean)} (± ${percent(2 * found.standardError)})`,
        percent(found.right / found.tests),
        (found.errors / found.tests).toFixed(4),
      ];
    });
  });
}

/** Visitors who come back in phase 2 convert more often, and variation b keeps fewer of them. */
function compositionRows() {
  const findings = { 'within strata': new Findings(), 'all together': new Findings() };
  for (let test = 0; test < TESTS; test++) {
    const visitors = Array.from({ length: VISITORS }, () =>
      drawVisitor({ weights: [0.5, 0.8], uplift: 0, loyalty: 2 }),
    );
    const groups = groupsOf(visitors, { phase: 2, keys: KEYS, until: END, preDays: PRE_DAYS });
    findings['within strata'].add(compareIn(groups, false), 0);
    const together = groups.map((group) => ({ ...group, returning: false }));
    findings['all together'].add(compareIn(together, false), 0);
  }
  const { mean, standardError, significant } = findings['within strata'];
  checkMean('phases, returning visitors', mean, standardError, 0);
  checkGuarantee('phases, returning visitors, false alarms', significant / TESTS, 0, 0.05, TESTS);
  return Object.entries(findings).map(([name, found]) => [
    name,
    `${signed(found.mean)} (± ${percent(2 * found.standardError)})`,
    percent(found.significant / found.tests),
  ]);
}

export const sections = [
  {
    title: `Phases: a true effect of +30 %, weights that change after ${PHASE_DAYS} of ${2 * PHASE_DAYS} days, ${ATTRIBUTION_DAYS} days of attribution`,
    header: [
      'weights',
      'tests × visitors',
      'phase',
      'CUPED',
      'mean estimate',
      'intervals right',
      'standard error',
    ],
    rows: changeRows,
  },
  {
    title:
      'Phases: no effect, weights 50:50 → 80:20, and visitors who come back in phase 2 convert twice as often',
    header: ['new and returning visitors are compared', 'mean estimate', 'false alarms'],
    rows: compositionRows,
  },
];
