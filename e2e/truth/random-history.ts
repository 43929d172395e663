import { SeededRandom } from '../support/random.ts';
import { DAY_MS, type History, type Request, type Step } from './history.ts';
import { phasesOf } from './naive/phases.ts';
import { type LiveTest, Population } from './population.ts';
import { type Profile, randomChanges, randomSetup } from './random-setup.ts';

export interface HistoryOptions {
  seed: number;
  propertyId: string;
  profile: Profile;
  /** When it begins. */
  start: number;
  /** Moments at which something is sent. */
  moments: number;
}

/** Share of moments at which servers evaluate flags, once a rule is measured. */
const EVALUATED = 0.35;

/** Longer than all tests and the days in which conversions still count. */
export const HISTORY_DAYS = 26;

export function randomHistory({ seed, propertyId, profile, start, moments }: HistoryOptions): History {
  const random = new SeededRandom(seed);
  const setup = randomSetup(random, propertyId, profile);
  const steps = randomChanges(random, setup, profile, start);
  const changed = new Set(steps.map(({ at }) => at));
  const times = new Set<number>();
  while (times.size < moments) {
    const at = start + random.between(0, HISTORY_DAYS * DAY_MS);
    if (!changed.has(at)) times.add(at);
  }
  const population = new Population(random, setup);
  const phaseBefore = new Map<string, number>();
  for (const at of [...times].sort((left, right) => left - right)) {
    const earlier = steps.filter((step) => step.at < at);
    const tests = setup.tests.flatMap((test): LiveTest[] => {
      const phases = phasesOf(test, earlier);
      const phase = phases.length;
      if (phase > (phaseBefore.get(test.key) ?? 0)) population.assignAgain(test.key);
      phaseBefore.set(test.key, phase);
      return phase === 0 ? [] : [{ test, phase, variations: phases.at(-1)!.variations }];
    });
    const [pages, rules] = [tests.filter(({ test }) => !test.flag), tests.filter(({ test }) => test.flag)];
    const isOfServers = rules.length > 0 && random.next() < EVALUATED;
    steps.push({ at, requests: isOfServers ? population.evaluate(at, rules) : population.act(at, pages) });
  }
  return { seed, setup, steps: inOrder(steps) };
}

const inOrder = (steps: readonly Step[]) =>
  steps.filter(({ requests }) => requests.length > 0).sort((left, right) => left.at - right.at);

/** The number of events, not of requests. */
export const countEvents = ({ steps }: History): number =>
  steps
    .flatMap(({ requests }): Request[] => requests)
    .reduce((sum, request) => sum + (request.kind === 'exposures' ? request.exposures.length : 1), 0);
