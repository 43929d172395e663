import {
  type Answer,
  type Collect,
  type Conversion,
  DAY_MS,
  type Evaluation,
  type Exposure,
  type Exposures,
  type History,
  HOUR_MS,
  type Report,
} from '../history.ts';
import { EvaluatedFlags } from './evaluated.ts';
import { type Exposed, exposedAs } from './flags.ts';
import { type Phase, phasesOf } from './phases.ts';

/** What has arrived until a moment, with the times that count. */
export interface Recorded {
  collects: RecordedCollect[];
  exposures: RecordedExposure[];
  conversions: (Conversion & { at: number })[];
  answers: (Answer & { at: number })[];
  /** By test. */
  phases: Map<string, Phase[]>;
  /** What each evaluation must have served. */
  served: Map<Evaluation, string>;
}

interface RecordedCollect {
  receivedAt: number;
  sessionId: string;
  visitorId: string;
  userId: string | undefined;
  country: string | undefined;
  /** Of its page views and events. */
  times: number[];
  pageviews: { at: number; path: string }[];
  events: { at: number; name: string; value: number }[];
}

export interface RecordedExposure extends Omit<Exposure, 'timestamp' | 'bot'> {
  receivedAt: number;
  /** By the client's clock, if that is plausible. */
  happenedAt: number;
  /** Not later than it was received. */
  seenAt: number;
  bot: boolean;
}

export function recordedUntil({ setup, steps }: History, now: number): Recorded {
  const played = steps.filter(({ at }) => at <= now);
  const recorded: Recorded = {
    collects: [],
    exposures: [],
    conversions: [],
    answers: [],
    phases: new Map(setup.tests.map((test) => [test.key, phasesOf(test, played)])),
    served: new Map(),
  };
  const flags = new EvaluatedFlags(setup.tests, played);
  const started = new Set<string>();
  for (const { at, requests } of played) {
    for (const request of requests) {
      if (request.kind === 'change') started.add(request.testKey);
      if (request.kind === 'conversion') recorded.conversions.push({ ...request, at });
      if (request.kind === 'answer') recorded.answers.push({ ...request, at });
      if (request.kind === 'collect') recorded.collects.push(recordedCollect(request, at));
      if (request.kind === 'exposures') recordExposures(recorded, request, at);
      if (request.kind === 'evaluation') recordEvaluation(recorded, flags, request, at);
      if (request.kind === 'report') recordReport(recorded, request, at, started);
    }
  }
  return recorded;
}

function recordedCollect(collect: Collect, at: number): RecordedCollect {
  const { sessionId, visitorId, userId, country } = collect;
  const pageviews = collect.pageviews.map(({ timestamp, path }) => ({ at: plausible(timestamp, at), path }));
  const events = collect.events.map(({ timestamp, ...event }) => ({
    ...event,
    at: plausible(timestamp, at),
  }));
  const times = [...pageviews, ...events].map((event) => event.at);
  return { receivedAt: at, sessionId, visitorId, userId, country, times, pageviews, events };
}

function recordExposures(recorded: Recorded, { exposures, crawler }: Exposures, at: number): void {
  for (const exposure of exposures) {
    recorded.exposures.push(recordedExposure(exposure, crawler, at, recorded.phases));
  }
}

function recordEvaluation(
  recorded: Recorded,
  flags: EvaluatedFlags,
  evaluation: Evaluation,
  at: number,
): void {
  const { value, recorded: counted } = flags.evaluate(evaluation, at, (sessionId) => {
    const own = recorded.collects.filter((collect) => collect.sessionId === sessionId);
    if (own.length === 0) return undefined;
    const userId = own.findLast((collect) => collect.userId !== undefined)?.userId;
    return { visitorId: own.at(-1)!.visitorId, ...(userId !== undefined && { userId }) };
  });
  recorded.served.set(evaluation, value);
  if (counted === undefined) return;
  const { testKey, variationKey, exposed } = counted;
  nameUnit(recorded, exposed, at);
  const exposure = { testKey, variationKey, sessionId: exposed.sessionId };
  recorded.exposures.push(recordedExposure(exposure, false, at, recorded.phases));
}

function recordReport(
  recorded: Recorded,
  { exposures }: Report,
  at: number,
  started: ReadonlySet<string>,
): void {
  for (const { testKey, variationKey, timestamp, bot = false, ...who } of exposures) {
    // The rule is not known before it was ever measured; its phases may be those of a later rule with this key.
    if (!started.has(testKey)) continue;
    const exposed = exposedAs(who);
    nameUnit(recorded, exposed, at);
    const { sessionId } = exposed;
    const exposure = { testKey, variationKey, sessionId, ...(timestamp !== undefined && { timestamp }) };
    recorded.exposures.push(recordedExposure(exposure, bot, at, recorded.phases));
  }
}

/** A session that stands for somebody names them each time. */
function nameUnit(recorded: Recorded, { sessionId, names }: Exposed, at: number): void {
  if (names === undefined) return;
  const nothing = { country: undefined, times: [], pageviews: [], events: [] };
  recorded.collects.push({ receivedAt: at, sessionId, ...names, ...nothing });
}

function recordedExposure(
  { timestamp, phase, bot = false, ...exposure }: Exposure,
  crawler: boolean,
  receivedAt: number,
  phases: Recorded['phases'],
): RecordedExposure {
  const happenedAt = timestamp === undefined ? receivedAt : plausible(timestamp, receivedAt);
  const started = phases.get(exposure.testKey)!.filter(({ startedAt }) => startedAt <= receivedAt).length;
  return {
    ...exposure,
    receivedAt,
    happenedAt,
    seenAt: Math.min(happenedAt, receivedAt),
    bot: bot || crawler,
    // Nobody can have been assigned in a phase that had not started.
    ...(phase !== undefined && phase <= started && { phase }),
  };
}

/** A client's time that is more than three days old or a day ahead comes from a wrong clock. */
function plausible(timestamp: number, receivedAt: number): number {
  const isWrong = timestamp < receivedAt - 72 * HOUR_MS || timestamp > receivedAt + DAY_MS;
  return isWrong ? receivedAt : timestamp;
}
