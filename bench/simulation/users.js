import { MAX_MIXED_SHARE } from '../../packages/core/dist/stats/report/health.js';
import { whole } from '../lib/report.js';
import { checkGuarantee, checkMean } from './guarantees.js';
import { normal, options, poisson, random } from './random.js';
import { compare, percent, Sums } from './shop.js';

const USERS = 4000;
const TWO_DEVICES = 0.3;
const EFFECT = 0.2;
const TESTS = Math.ceil(options.tests / 4);

/** Orders of a user, whose willingness depends on what all of the user's devices show. */
function addUser(arms, assignment, unit, effect) {
  const willing = 0.5 * Math.exp(normal());
  const count = random() < TWO_DEVICES ? 2 : 1;
  const first = random() < 0.5 ? 0 : 1;
  const seen = Array.from({ length: count }, (_, device) =>
    device === 0 || assignment === 'user' ? first : random() < 0.5 ? 0 : 1,
  );
  const share = seen.reduce((sum, variation) => sum + variation, 0) / count;
  const orders = seen.map(() => poisson((willing * (1 + effect * share)) / count));
  if (unit === 'visitor') {
    for (const [device, variation] of seen.entries()) arms[variation].add(orders[device]);
    return false;
  }
  if (share > 0 && share < 1) return true;
  arms[first].add(orders.reduce((sum, value) => sum + value, 0));
  return false;
}

function simulate(assignment, unit, effect) {
  const arms = [new Sums(), new Sums()];
  let mixed = 0;
  for (let user = 0; user < USERS; user++) mixed += Number(addUser(arms, assignment, unit, effect));
  const { relative, pValue } = compare({ method: 'frequentist', metric: 'mean' }, ...arms);
  return { estimate: relative.estimate, pValue, mixed: mixed / USERS };
}

function userRows() {
  const designs = [
    ['visitor', 'visitor'],
    ['visitor', 'user'],
    ['user', 'visitor'],
    ['user', 'user'],
  ];
  return designs.map(([assignment, unit]) => {
    let [alarms, sum, squares, mixed] = [0, 0, 0, 0];
    for (let test = 0; test < TESTS; test++) {
      alarms += Number(simulate(assignment, unit, 0).pValue < 0.05) / TESTS;
      const found = simulate(assignment, unit, EFFECT);
      sum += found.estimate / TESTS;
      squares += found.estimate ** 2 / TESTS;
      mixed += found.mixed / TESTS;
    }
    const error = Math.sqrt((squares - sum ** 2) / TESTS);
    if (unit === 'user') {
      checkGuarantee(`users, assigned by ${assignment}, false alarms`, alarms, 0.05, 0.05, TESTS);
      checkMean(`users, assigned by ${assignment}`, sum, error, EFFECT);
      const expected = assignment === 'user' ? 0 : TWO_DEVICES / 2;
      checkGuarantee(`users, assigned by ${assignment}, mixed`, mixed, expected, expected, TESTS * USERS);
    }
    return [
      assignment,
      unit,
      percent(alarms),
      `+${percent(sum)} (± ${percent(2 * error)})`,
      percent(mixed),
      mixed > MAX_MIXED_SHARE ? 'yes' : 'no',
    ];
  });
}

export const sections = [
  {
    title: `Users with two devices: ${Math.round(100 * TWO_DEVICES)} % of ${whole(USERS)} users, a true effect of +${Math.round(100 * EFFECT)} % or none, ${whole(TESTS)} tests each`,
    header: ['assigned by', 'counted by', 'false alarms', 'mean estimate', 'mixed', 'mixed alarm'],
    rows: userRows,
  },
];
