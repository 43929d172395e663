import { NONE_BEFORE, noGoalSums } from '../../packages/core/dist/stats/report/report-counts.js';

const GOAL = 'signup';

/**
 * Counts simulated visitors as the server does, for one phase of a test. A visitor has `sessions` (times), `exposures`
 * (`at`, `phase`, `variation`) and `conversions` (times), each in the order of time.
 *
 * @param until when the attribution of the phase ends
 * @param preDays length of the time before the first exposure that covariates cover
 */
export function groupsOf(visitors, { phase, keys, until, preDays }) {
  const groups = new Map();
  for (const visitor of visitors) {
    const counted = countVisitor(visitor, phase, until, preDays);
    if (counted === null) continue;
    const { variation, moved, returning } = counted;
    const name = `${variation} ${moved} ${returning}`;
    if (!groups.has(name)) {
      groups.set(name, newGroup(variation === null ? null : keys[variation], moved, returning));
    }
    addVisitor(groups.get(name), counted);
  }
  return [...groups.values()];
}

/** Null if the visitor was not exposed in the phase. */
function countVisitor({ sessions, exposures, conversions }, phase, until, preDays) {
  const inPhase = exposures.filter((it) => it.phase === phase);
  if (inPhase.length === 0) return null;
  const earlier = exposures.filter((it) => it.phase < phase);
  const isOne = inPhase.every(({ variation }) => variation === inPhase[0].variation);
  const variation = isOne ? inPhase[0].variation : null;
  const from = inPhase[0].at;
  const next = exposures.find((it) => it.phase > phase)?.at ?? Infinity;
  const firstEver = exposures[0].at;
  const isBefore = (at) => at >= firstEver - preDays && at < firstEver;
  return {
    variation,
    moved: isOne && earlier.some((it) => it.variation !== variation),
    returning: earlier.length > 0,
    value: conversions.filter((at) => at >= from && at < Math.min(until, next)).length,
    before: conversions.filter(isBefore).length,
    sessions: sessions.filter(isBefore).length,
  };
}

const SUMS = [
  'sum',
  'sumSquares',
  'covariateSum',
  'covariateSumSquares',
  'covariateProduct',
  'knownSum',
  'sessionsProduct',
  'covariateKnown',
  'covariateSessions',
];

function newGroup(variationKey, moved, returning) {
  const none = noGoalSums(GOAL);
  const conversions = Object.fromEntries(SUMS.map((name) => [name, 0]));
  const goal = { ...none, conversions, convertedKnown: 0, convertedSessions: 0 };
  const before = { ...NONE_BEFORE };
  return { variationKey, moved, returning, bot: false, early: false, visitors: 0, before, goals: [goal] };
}

function addVisitor(group, { value, before, sessions }) {
  const [goal] = group.goals;
  const { conversions } = goal;
  const [known, converted] = [Number(sessions > 0), Number(value > 0)];
  group.visitors++;
  group.before.known += known;
  group.before.sessions += sessions;
  group.before.sessionsSquares += sessions * sessions;
  goal.converted += converted;
  goal.convertedCovariate += converted * before;
  goal.convertedKnown += converted * known;
  goal.convertedSessions += converted * sessions;
  conversions.sum += value;
  conversions.sumSquares += value * value;
  conversions.covariateSum += before;
  conversions.covariateSumSquares += before * before;
  conversions.covariateProduct += before * value;
  conversions.knownSum += known * value;
  conversions.sessionsProduct += sessions * value;
  conversions.covariateKnown += before * known;
  conversions.covariateSessions += before * sessions;
}
