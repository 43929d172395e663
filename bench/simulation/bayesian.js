import { analyse } from '../../packages/core/dist/stats/analysis.js';
import { learnPrior } from '../../packages/core/dist/stats/report/learned-prior.js';
import { WEAK_PRIOR } from '../../packages/core/dist/stats/report/report-method.js';
import { whole } from '../lib/report.js';
import { checkAtLeast } from './guarantees.js';
import { binomial, normal, options } from './random.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const VISITORS_PER_DAY = 2000;
const STOP_AT = 0.95;
const TESTS = options.tests;
const FINISHED = [8, 30];

const FLAT = { proper: false };
const normalPrior = ({ mean, sd }) => ({ proper: true, mean, sd });
const WEAK = normalPrior(WEAK_PRIOR);

/** The counts of both arms after each day. */
function drawDays(effect) {
  const each = VISITORS_PER_DAY / 2;
  const days = [];
  let [control, variation] = [0, 0];
  for (let day = 1; day <= DAYS; day++) {
    control += binomial(each, RATE);
    variation += binomial(each, RATE * (1 + effect));
    days.push({ n: day * each, control, variation });
  }
  return days;
}

function compareOn({ n, control, variation }, prior) {
  const sums = (converted) => ({ n, sum: converted, sumSquares: converted });
  return analyse({
    method: 'bayesian',
    metric: 'proportion',
    prior,
    control: 'a',
    variations: [
      { key: 'a', ...sums(control) },
      { key: 'b', ...sums(variation) },
    ],
  }).variations[1];
}

/** The first day on which one of the two is better with the given probability; undefined if there is none. */
function stopOf(days, prior) {
  for (const day of days) {
    const { chanceToBeat } = compareOn(day, prior);
    const claim = Math.max(chanceToBeat, 1 - chanceToBeat);
    if (claim >= STOP_AT) return { claim, isBetter: chanceToBeat > 0.5, day };
  }
  return undefined;
}

/** The relative effect of a finished test, without any prior: at its early stop, or at its end. */
function finishedEffect(sd) {
  const days = drawDays(sd * normal());
  const { day } = stopOf(days, WEAK) ?? { day: days.at(-1) };
  const { relative, standardError } = compareOn(day, FLAT);
  return { estimate: relative.estimate, standardError: standardError / (day.control / day.n) };
}

/** Properties with finished tests; each test to come learns from one of them. */
function learntPriors(sd, finished) {
  return Array.from({ length: Math.ceil(TESTS / 40) }, () =>
    normalPrior(learnPrior(Array.from({ length: finished }, () => [finishedEffect(sd)]))),
  );
}

function calibrationOf(sd, priors) {
  let [stopped, claimed, right] = [0, 0, 0];
  for (let test = 0; test < TESTS; test++) {
    const effect = sd * normal();
    const stop = stopOf(drawDays(effect), priors[test % priors.length]);
    if (stop === undefined) continue;
    stopped++;
    claimed += stop.claim;
    right += Number(stop.isBetter === effect > 0);
  }
  return { stopped: stopped / TESTS, claimed: claimed / stopped, right: right / stopped };
}

function calibrationRows() {
  return [0.02, 0.05, 0.1].flatMap((sd) => {
    const kinds = [
      ['flat', [FLAT]],
      ['weak (sd 10 %)', [WEAK]],
      ...FINISHED.map((finished) => [`learnt from ${finished} tests`, learntPriors(sd, finished)]),
      ['the true one', [normalPrior({ mean: 0, sd })]],
    ];
    return kinds.map(([name, priors]) => {
      const { stopped, claimed, right } = calibrationOf(sd, priors);
      if (name === 'the true one' || name.startsWith(`learnt from ${FINISHED[1]}`))
        checkAtLeast(`Bayesian, effects of ${100 * sd} %, ${name}`, right, claimed - 0.06);
      const sds = priors.map((prior) => prior.sd ?? Infinity).toSorted((a, b) => a - b);
      const middle = sds[Math.floor(sds.length / 2)];
      return [
        `${Math.round(100 * sd)} %`,
        name,
        Number.isFinite(middle) ? percent(middle) : '',
        percent(stopped),
        percent(claimed),
        percent(right),
      ];
    });
  });
}

export const sections = [
  {
    title: `Bayesian, stopping on the first of ${DAYS} days with a chance to beat of ${100 * STOP_AT} % either way: ${whole(TESTS)} tests each, ${whole(VISITORS_PER_DAY)} visitors a day, conversion rate ${100 * RATE} %`,
    header: ['spread of the true effects', 'prior', 'its sd (median)', 'stopped', 'claimed', 'right'],
    rows: calibrationRows,
  },
];
