import type { Change, Step, TestSetup, Variation } from '../history.ts';

export interface Phase {
  number: number;
  startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  variations: Variation[];
}

/** What decides who sees what. */
export interface Definition {
  variations: Variation[];
  traffic: number;
  plans: string[] | null;
  /** What those outside of a measured rollout get. */
  otherwise: string;
}

/** A test without changes. */
export const initialDefinition = ({ variations }: TestSetup): Definition => ({
  variations,
  traffic: 100,
  plans: null,
  otherwise: 'rest',
});

/** The definition after a change; the same if it is about something else. */
export function changed(definition: Definition, change: Change): Definition {
  switch (change.action) {
    case 'variations':
      return { ...definition, variations: change.variations };
    case 'traffic':
      return { ...definition, traffic: change.trafficAllocation };
    case 'audience':
      return { ...definition, plans: change.plans };
    case 'otherwise':
      return { ...definition, otherwise: change.value };
    default:
      return definition;
  }
}

/**
 * The phases of a test: a new one for other weights, other variations, other people or less traffic, not for a pause or for
 * more traffic.
 */
export function phasesOf(test: TestSetup, steps: readonly Step[]): Phase[] {
  const phases: Phase[] = [];
  let inForce = initialDefinition(test);
  let saved = inForce;
  let isPaused = false;
  const open = (at: number) => {
    inForce = saved;
    phases.push({ number: phases.length + 1, startedAt: at, endedAt: null, variations: inForce.variations });
  };
  const takeEffect = (at: number) => {
    const latest = phases.at(-1);
    if (latest === undefined || isPaused) return;
    if (!movesVisitors(test, inForce, saved)) {
      inForce = saved;
      latest.variations = saved.variations;
    } else {
      latest.endedAt = at;
      open(at);
    }
  };
  for (const { at, change } of changesOf(test, steps)) {
    if (change.action === 'start') open(at);
    if (change.action === 'again') {
      phases.length = 0;
      open(at);
    }
    if (change.action === 'pause') isPaused = true;
    if (change.action === 'resume') isPaused = false;
    saved = changed(saved, change);
    if (change.action === 'stop') phases.at(-1)!.endedAt = at;
    else takeEffect(at);
  }
  return phases;
}

function movesVisitors({ flag }: TestSetup, before: Definition, after: Definition): boolean {
  // Those outside of a rollout are its control; those outside of a split are not compared.
  const whatOthersGet = ({ otherwise }: Definition) => (flag?.kind === 'rollout' ? otherwise : '');
  const weights = ({ variations }: Definition) => variations.map(({ key, weight }) => [key, weight]);
  const fixed = (it: Definition) => JSON.stringify([weights(it), it.plans, whatOthersGet(it)]);
  const isBack = before.variations.some((it, index) => it.retired && !after.variations[index]?.retired);
  return after.traffic < before.traffic || fixed(after) !== fixed(before) || isBack;
}

export function changesOf(test: TestSetup, steps: readonly Step[]): { at: number; change: Change }[] {
  const changes: { at: number; change: Change }[] = [];
  for (const { at, requests } of steps) {
    for (const request of requests) {
      if (request.kind === 'change' && request.testKey === test.key) changes.push({ at, change: request });
    }
  }
  return changes;
}
