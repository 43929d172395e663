import type { Change, Step, TestSetup, Variation } from '../history.ts';

export interface Phase {
  number: number;
  startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  variations: Variation[];
}

interface Definition {
  variations: Variation[];
  traffic: number;
}

/** The phases of a test: a new one for other weights, other variations or less traffic, not for a pause or for more traffic. */
export function phasesOf(test: TestSetup, steps: readonly Step[]): Phase[] {
  const phases: Phase[] = [];
  let inForce: Definition = { variations: test.variations, traffic: 100 };
  let saved = inForce;
  let isPaused = false;
  const open = (at: number) => {
    inForce = saved;
    phases.push({ number: phases.length + 1, startedAt: at, endedAt: null, variations: inForce.variations });
  };
  const takeEffect = (at: number) => {
    const latest = phases.at(-1);
    if (latest === undefined || isPaused) return;
    if (!movesVisitors(inForce, saved)) inForce = saved;
    else {
      latest.endedAt = at;
      open(at);
    }
  };
  for (const { at, change } of changesOf(test, steps)) {
    if (change.action === 'start') open(at);
    if (change.action === 'pause') isPaused = true;
    if (change.action === 'resume') isPaused = false;
    if (change.action === 'variations') saved = { ...saved, variations: change.variations };
    if (change.action === 'traffic') saved = { ...saved, traffic: change.trafficAllocation };
    if (change.action === 'stop') phases.at(-1)!.endedAt = at;
    else if (change.action !== 'start') takeEffect(at);
  }
  return phases;
}

const movesVisitors = (before: Definition, after: Definition) =>
  after.traffic < before.traffic || JSON.stringify(after.variations) !== JSON.stringify(before.variations);

function changesOf(test: TestSetup, steps: readonly Step[]): { at: number; change: Change }[] {
  const changes: { at: number; change: Change }[] = [];
  for (const { at, requests } of steps) {
    for (const request of requests) {
      if (request.kind === 'change' && request.testKey === test.key) changes.push({ at, change: request });
    }
  }
  return changes;
}
