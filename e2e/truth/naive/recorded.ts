import { type Answer, type Conversion, DAY_MS, type Exposure, type History, HOUR_MS } from '../history.ts';
import { type Phase, phasesOf } from './phases.ts';

/** What has arrived until a moment, with the times that count. */
export interface Recorded {
  collects: RecordedCollect[];
  exposures: RecordedExposure[];
  conversions: (Conversion & { at: number })[];
  answers: (Answer & { at: number })[];
  /** By test. */
  phases: Map<string, Phase[]>;
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
  };
  for (const { at, requests } of played) {
    for (const request of requests) {
      if (request.kind === 'conversion') recorded.conversions.push({ ...request, at });
      if (request.kind === 'answer') recorded.answers.push({ ...request, at });
      if (request.kind === 'collect') {
        const { sessionId, visitorId, userId, country } = request;
        const pageviews = request.pageviews.map(({ timestamp, path }) => ({
          at: plausible(timestamp, at),
          path,
        }));
        const events = request.events.map(({ timestamp, ...event }) => ({
          ...event,
          at: plausible(timestamp, at),
        }));
        const times = [...pageviews, ...events].map((event) => event.at);
        const who = { receivedAt: at, sessionId, visitorId, userId, country };
        recorded.collects.push({ ...who, times, pageviews, events });
      }
      if (request.kind === 'exposures') {
        for (const exposure of request.exposures) {
          recorded.exposures.push(recordedExposure(exposure, request.crawler, at, recorded.phases));
        }
      }
    }
  }
  return recorded;
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
