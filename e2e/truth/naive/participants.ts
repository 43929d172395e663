import { DAY_MS, type Setup, type TestSetup } from '../history.ts';
import type { Phase } from './phases.ts';
import type { Recorded, RecordedExposure } from './recorded.ts';
import { type UnitOf, unitsOf } from './units.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** A unit in a phase of a test. */
export interface Participant {
  unit: string;
  /** Null: mixed, saw several in this phase. */
  variationKey: string | null;
  firstVariationKey: string;
  /** Saw another variation in an earlier phase. */
  moved: boolean;
  /** Was exposed in an earlier phase. */
  returning: boolean;
  bot: boolean;
  firstAt: number;
  /** Conversions before this time count. */
  outcomeEnds: number;
  /** The first exposure in a later phase. */
  leavesAt: number;
  /** The first exposure to any phase of this test, or to a related test. */
  firstEver: number;
  exposures: RecordedExposure[];
}

export interface ParticipantsOfPhase {
  unitOf: UnitOf;
  /** Exposures that count in the phase. */
  exposures: RecordedExposure[];
  participants: Participant[];
}

/** When a phase ends, and until when conversions count. */
export function endOf({ attributionDays }: TestSetup, { endedAt }: Phase) {
  return {
    endsAt: endedAt ?? NEVER,
    until: endedAt === null ? NEVER : endedAt + attributionDays * DAY_MS,
  };
}

export function participantsOf(
  setup: Setup,
  recorded: Recorded,
  test: TestSetup,
  phase: Phase,
): ParticipantsOfPhase {
  const unitOf = unitsOf(recorded, test.unit);
  const phases = recorded.phases.get(test.key)!;
  const { endsAt, until } = endOf(test, phase);
  const ofTest = exposuresTo(recorded, [test]).map((exposure) => ({
    exposure,
    number: phaseOf(exposure, phases),
    unit: unitOf(exposure.sessionId),
  }));
  // What is shown or arrives after the end changes nothing any more, whatever phase it names.
  const inTime = ofTest.filter(({ exposure }) => exposure.seenAt < endsAt && exposure.receivedAt < until);
  const isShown = (variationKey: string) => phase.variations.some(({ key }) => key === variationKey);
  const counted = inTime.filter(
    ({ exposure, number }) => number === phase.number && isShown(exposure.variationKey),
  );
  const related = setup.tests.filter((it) => it.hashSeed === test.hashSeed);
  const ofRelated = exposuresTo(recorded, related).map((exposure) => ({
    exposure,
    unit: unitOf(exposure.sessionId),
  }));
  const participants = [...new Set(counted.map(({ unit }) => unit))].map((unit): Participant => {
    const own = counted.filter((it) => it.unit === unit).map(({ exposure }) => exposure);
    const earlier = inTime.filter((it) => it.unit === unit && it.number < phase.number);
    // Even if they arrive late, so that a conversion never counts in two phases.
    const later = ofTest.filter((it) => it.unit === unit && it.number > phase.number);
    const leavesAt = Math.min(NEVER, ...later.map(({ exposure }) => exposure.seenAt));
    const first = earliest(own, phase);
    const isMixed = own.some(({ variationKey }) => variationKey !== first.variationKey);
    // What this phase does not have cannot be compared, and moves nobody.
    const sawOther = earlier.some(
      ({ exposure: { variationKey } }) => variationKey !== first.variationKey && isShown(variationKey),
    );
    return {
      unit,
      variationKey: isMixed ? null : first.variationKey,
      firstVariationKey: first.variationKey,
      moved: !isMixed && sawOther,
      returning: earlier.length > 0,
      bot: own.some(({ bot }) => bot),
      firstAt: first.seenAt,
      outcomeEnds: Math.min(until, leavesAt),
      leavesAt,
      firstEver: Math.min(
        ...ofRelated.filter((it) => it.unit === unit).map(({ exposure }) => exposure.seenAt),
      ),
      exposures: own,
    };
  });
  return { unitOf, exposures: counted.map(({ exposure }) => exposure), participants };
}

/** Exposures to tests. Of a measured rule, what happened before it was measured is not about it, whatever clocks say. */
export function exposuresTo(recorded: Recorded, tests: readonly TestSetup[]): RecordedExposure[] {
  return tests.flatMap(({ key, flag }) => {
    const [first] = recorded.phases.get(key)!;
    const own = recorded.exposures.filter(({ testKey }) => testKey === key);
    return flag === undefined ? own : own.filter(({ happenedAt }) => happenedAt >= (first?.startedAt ?? 0));
  });
}

/** By what the client says, or else by its time; what is before the first phase or after the last belongs to that. */
function phaseOf({ phase, happenedAt }: RecordedExposure, phases: readonly Phase[]): number {
  if (phase !== undefined) return phase;
  let number = 1;
  for (const { startedAt, number: next } of phases) if (happenedAt >= startedAt) number = next;
  return number;
}

/** Of several at the same time, the first in the order of the variations. */
function earliest(exposures: readonly RecordedExposure[], { variations }: Phase): RecordedExposure {
  const rank = ({ variationKey }: RecordedExposure) =>
    variations.findIndex(({ key }) => key === variationKey);
  return [...exposures].sort((a, b) => a.seenAt - b.seenAt || rank(a) - rank(b))[0]!;
}

/** Whether a participant is in the results. */
export const isCounted = ({ variationKey, moved }: Participant) => variationKey !== null && !moved;
