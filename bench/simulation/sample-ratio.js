import { ALARM_P_VALUE, MAX_MIXED_SHARE } from '../../packages/core/dist/stats/report/health.js';
import { sampleRatio } from '../../packages/core/dist/stats/sample-ratio.js';
import { whole } from '../lib/report.js';
import { checkAtMost, checkGuarantee } from './guarantees.js';
import { binomial, options } from './random.js';
import { percent } from './shop.js';

const LOOKS = 28;
const SIZES = [1000, 10_000, 100_000];
const MIN_VISITORS = 100;
const TESTS = options.tests;

const isAlarm = (visitors, weights) =>
  visitors.reduce((sum, n) => sum + n, 0) >= MIN_VISITORS &&
  sampleRatio(visitors, weights).pValue < ALARM_P_VALUE;

/** Splits new visitors by their true shares. */
function addVisitors(counts, visitors, shares) {
  let [left, rest] = [visitors, 1];
  for (const [index, share] of shares.entries()) {
    const own = index === shares.length - 1 ? left : binomial(left, Math.min(1, share / rest));
    counts[index] += own;
    left -= own;
    rest -= share;
  }
}

/** The share of tests with an alarm at any of the looks. */
function alarms(total, shares, weights, tests = TESTS) {
  let found = 0;
  for (let test = 0; test < tests; test++) {
    const counts = shares.map(() => 0);
    for (let look = 0; look < LOOKS; look++) {
      addVisitors(counts, Math.round(total / LOOKS), shares);
      if (!isAlarm(counts, weights)) continue;
      found++;
      break;
    }
  }
  return found / tests;
}

function healthyRows() {
  const splits = [
    ['50:50', [1, 1]],
    ['90:10', [9, 1]],
    ['99:1', [99, 1]],
    ['equal, 4 variations', [1, 1, 1, 1]],
  ];
  return splits.map(([name, weights]) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const shares = weights.map((weight) => weight / total);
    const cells = SIZES.map((size) => {
      const share = alarms(size, shares, weights, 2 * TESTS);
      checkGuarantee(`sample ratio, healthy ${name}`, share, 0, 0.001, 2 * TESTS);
      return percent(share, 2);
    });
    return [name, ...cells];
  });
}

function lossRows() {
  return [0.01, 0.05, 0.1].map((lost) => {
    const shares = [1 / (2 - lost), (1 - lost) / (2 - lost)];
    const cells = SIZES.map((size) => percent(alarms(size, shares, [1, 1], TESTS / 4)));
    return [`${Math.round(100 * lost)} % of one variation lost`, ...cells];
  });
}

const TWO_DEVICES = 0.05;

/** Visitors by what they saw first, and by what they saw if it was only one variation. */
function addWithDevices(first, only, visitors, shares) {
  const two = binomial(visitors, TWO_DEVICES);
  const single = shares.map(() => 0);
  addVisitors(single, visitors - two, shares);
  const onFirst = shares.map(() => 0);
  addVisitors(onFirst, two, shares);
  let mixed = 0;
  for (const [index, share] of shares.entries()) {
    const same = binomial(onFirst[index], share);
    first[index] += single[index] + onFirst[index];
    only[index] += single[index] + same;
    mixed += onFirst[index] - same;
  }
  return mixed;
}

/** A second device is assigned anew: a small variation loses most of its visitors who have one. */
function deviceRows() {
  const [shares, weights] = [
    [0.9, 0.1],
    [9, 1],
  ];
  return SIZES.map((size) => {
    let [byFirst, byOnly, mixedAlarms] = [0, 0, 0];
    for (let test = 0; test < TESTS; test++) {
      const [first, only] = [
        [0, 0],
        [0, 0],
      ];
      let [mixed, firstAlarm, onlyAlarm] = [0, false, false];
      for (let look = 0; look < LOOKS; look++) {
        mixed += addWithDevices(first, only, Math.round(size / LOOKS), shares);
        firstAlarm ||= isAlarm(first, weights);
        onlyAlarm ||= isAlarm(only, weights);
      }
      byFirst += Number(firstAlarm) / TESTS;
      byOnly += Number(onlyAlarm) / TESTS;
      mixedAlarms += Number(mixed / (first[0] + first[1]) > MAX_MIXED_SHARE) / TESTS;
    }
    checkAtMost('sample ratio, two devices', byFirst, 0.004);
    return [whole(size), percent(byFirst, 2), percent(byOnly), percent(mixedAlarms)];
  });
}

const sizes = SIZES.map((size) => `${whole(size)} visitors`);

export const sections = [
  {
    title: `Sample ratio, healthy tests: alarms (p < ${ALARM_P_VALUE}) at any of ${LOOKS} looks, ${whole(2 * TESTS)} tests each`,
    header: ['split', ...sizes],
    rows: healthyRows,
  },
  {
    title: `Sample ratio, broken tests, 50:50: alarms at any of ${LOOKS} looks`,
    header: ['split', ...sizes],
    rows: lossRows,
  },
  {
    title: `Sample ratio, 90:10, and ${100 * TWO_DEVICES} % of the visitors on two devices: alarms at any of ${LOOKS} looks`,
    header: [
      'visitors',
      'by what they saw first',
      'without mixed visitors',
      'alarm because of mixed visitors',
    ],
    rows: deviceRows,
  },
];
