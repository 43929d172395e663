import { DEFAULT_STATISTICS } from '../../packages/core/dist/api/statistics.js';
import { RateIntervals } from '../../packages/core/dist/stats/rate-intervals.js';
import { HELD_OUT, OTHERS } from '../../packages/core/dist/stats/report/holdout-groups.js';
import { holdoutReport } from '../../packages/core/dist/stats/report/holdout-report.js';
import { sequentialCritical } from '../../packages/core/dist/stats/sequential.js';
import { whole } from '../lib/report.js';
import { checkGuarantee, violations } from './guarantees.js';
import { binomial, options } from './random.js';
import { rateGroup } from './reports.js';
import { percent, RATE } from './shop.js';

const HOLDOUTS = Math.ceil(options.tests / 4);
/** One in so many reports is built although no goal differs. */
const CHECKED = 200;
const { alpha, sequentialN } = DEFAULT_STATISTICS;

const goalsOf = (count) =>
  Array.from({ length: count }, (_, index) => ({
    id: String(index),
    name: `Goal ${index}`,
    kind: 'count',
    lowerIsBetter: false,
  }));

/** The goals that a report on these groups finds a difference in. */
function findings(groups, goals, percentage, day) {
  const report = holdoutReport({
    percentage,
    largest: percentage,
    since: 0,
    asOf: day,
    share: 1,
    statistics: DEFAULT_STATISTICS,
    currency: 'USD',
    goals,
    groups: [HELD_OUT, OTHERS].map((key, index) =>
      rateGroup(key, groups[index].visitors, { ...groups[index].converted }),
    ),
    winners: [],
  });
  return report.goals.filter(({ finding }) => finding === 'better' || finding === 'worse');
}

/** Whether any goal differs without a correction; otherwise no report has to be built. */
function isSuspect(groups) {
  const limit = sequentialCritical(groups[0].visitors + groups[1].visitors, alpha, sequentialN);
  const arm = ({ visitors, converted }, goal) => ({ n: visitors, converted: converted[goal] });
  return groups[0].converted.some(
    (_, goal) => Math.abs(new RateIntervals(arm(groups[0], goal), arm(groups[1], goal)).z) > limit,
  );
}

let skipped = 0;

/** The first finding of daily reports, if there is one; the effect is on the first goal. */
function simulate({ percentage, visitors, effect, days, goals }) {
  const groups = [percentage, 100 - percentage].map((share) => ({
    daily: Math.round((visitors * share) / 100),
    visitors: 0,
    converted: goals.map(() => 0),
  }));
  for (let day = 1; day <= days; day++) {
    for (const [index, group] of groups.entries()) {
      group.visitors += group.daily;
      for (const goal of goals.keys()) {
        const change = index === 1 && goal === 0 ? effect : 0;
        group.converted[goal] += binomial(group.daily, RATE * (1 + change));
      }
    }
    const isExpected = isSuspect(groups);
    if (!isExpected && ++skipped % CHECKED !== 0) continue;
    const found = findings(groups, goals, percentage, day);
    if (found.length > 0 && !isExpected) violations.push('holdout: a report decides otherwise');
    if (found.length > 0)
      return { day, isRight: effect !== 0 && found.every(({ goalId }) => goalId === '0') };
  }
  return undefined;
}

function rowOf(percentage, visitors, effect, days, goalCount) {
  const goals = goalsOf(goalCount);
  const found = Array.from({ length: HOLDOUTS }, () =>
    simulate({ percentage, visitors, effect, days, goals }),
  ).filter((it) => it !== undefined);
  const right = found.filter(({ isRight }) => isRight);
  const wrong = (found.length - right.length) / HOLDOUTS;
  checkGuarantee('holdout, false findings', wrong, 0, 0.05, HOLDOUTS);
  const ends = right.map(({ day }) => day).sort((a, b) => a - b);
  const isMostlyFound = right.length / HOLDOUTS >= 0.5;
  return [
    `${percentage} %`,
    whole(visitors),
    effect === 0 ? 'none' : `+${Math.round(100 * effect)} %`,
    percent(wrong),
    effect === 0 ? '' : percent(right.length / HOLDOUTS),
    isMostlyFound ? String(ends[Math.floor(HOLDOUTS / 2)]) : '',
  ];
}

const header = ['holdout', 'visitors a day', 'effect', 'false findings', 'found', 'half of them after days'];

export const sections = [
  {
    title: `Holdout: ${whole(HOLDOUTS)} holdouts, 180 daily reports on a goal with a conversion rate of 10 %`,
    header,
    rows: () =>
      [1000, 10_000, 100_000].flatMap((visitors) =>
        [0, 0.02, 0.05].map((effect) => rowOf(5, visitors, effect, 180, 1)),
      ),
  },
  {
    title: `Holdout: ${whole(HOLDOUTS)} holdouts, 90 daily reports on 5 goals with a conversion rate of 10 %, an effect on one of them`,
    header,
    rows: () =>
      [
        [5, 1000, 0],
        [20, 1000, 0],
        [5, 1000, 0.1],
        [20, 1000, 0.1],
        [5, 10_000, 0.05],
        [20, 10_000, 0.05],
      ].map(([percentage, visitors, effect]) => rowOf(percentage, visitors, effect, 90, 5)),
  },
];
