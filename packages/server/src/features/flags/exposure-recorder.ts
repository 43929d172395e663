import { hash } from 'node:crypto';
import type { FlagExposure } from '@switchyard/core/api/flag-usage';
import { isCookieless } from '@switchyard/core/cleaning/cookieless';
import type { Cleaner } from '@switchyard/core/cleaning/create-cleaner';
import { exposedUnit, hashedUnit } from '@switchyard/core/evaluation/exposed-unit';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import { DAY_MS } from '@switchyard/core/time';
import type { Logger } from 'pino';
import { type MeasuredRuleInPlace, measuredRulesOf } from '../../configuration/property/measured-rules.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { AcceptedCollect, AcceptedExposures, Exposure } from '../../events/store/accepted-request.ts';
import { eventTime } from '../../http/contract/client-time.ts';
import type { Metrics } from '../../http/monitoring/metrics.ts';
import { StorageError } from '../../platform/errors/storage-error.ts';
import type { Context, EnvironmentFlags } from './flag-evaluator.ts';

/** Stores exposures, and collects that name the visitors of their sessions. */
type RecordExposures = (
  accepted: AcceptedExposures,
  visitors: readonly AcceptedCollect[],
  reportId?: string,
) => Promise<void>;

interface Dependencies {
  record: RecordExposures;
  cleanerOf: (property: PropertyConfiguration) => Cleaner;
  metrics: Pick<Metrics, 'dropped'>;
  log: Pick<Logger, 'warn'>;
}

/** Failures between two lines of the log are only counted. */
const LOG_EVERY_MS = 60_000;

/** Evaluations that are remembered; more than once a day is harmless, as each visitor counts once. */
const MAX_REMEMBERED = 50_000;

const rulesByKey = derivePerProperty(
  (property) => new Map(measuredRulesOf(property).map((rule) => [rule.key, rule])),
);

/** Records whom measured rules were evaluated for. */
export class ExposureRecorder {
  readonly #dependencies: Dependencies;
  /** What was recorded today, oldest first. */
  readonly #today = new Set<string>();
  #day = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** Evaluations that could not be stored since the last line of the log. */
  #failed = 0;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Records an evaluation by this service, once per visitor, variant and day. Undefined if there is nothing to record:
   * most flags are not measured. Otherwise whether it is stored: flags work without.
   *
   * @param keys the evaluated flags; default: all
   */
  evaluated(
    property: PropertyConfiguration,
    { environmentId, set }: EnvironmentFlags,
    context: Context,
    keys: Iterable<string> = set.measured,
  ): Promise<boolean> | undefined {
    if (set.measured.size === 0) return undefined;
    const receivedAt = Date.now();
    const added: string[] = [];
    const given: Given[] = [];
    for (const key of new Set(keys)) {
      for (const { flagKey, ruleId, variant, unit } of set.exposures(key, context)) {
        const rule = rulesByKey(property).get(measuredKey({ flagKey, environment: environmentId, ruleId }));
        if (rule === undefined) continue;
        const who = exposedUnit({ propertyId: property.id, sha256 }, context, unit);
        const { sessionId, visitorId, userId } = who;
        const memory = JSON.stringify([
          property.id,
          rule.id,
          // A rule that was removed and is back begins with its first phase again.
          [rule.phases.length, rule.phases.at(-1)?.startedAt],
          variant,
          sessionId ?? [visitorId, userId],
        ]);
        if (this.#isRemembered(memory, receivedAt)) continue;
        added.push(memory);
        given.push({ rule, variant, at: receivedAt, ...who });
      }
    }
    if (given.length === 0) return undefined;
    return this.#record(property, given, receivedAt).then(
      () => {
        // Only what is stored is remembered.
        this.#remember(added);
        return true;
      },
      (error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        this.#countFailure(given.length, error);
        return false;
      },
    );
  }

  /** Records what a program has evaluated; skips rules and variants that do not exist. */
  async reported(
    property: PropertyConfiguration,
    environment: string,
    exposures: readonly FlagExposure[],
    reportId: string | undefined,
  ): Promise<void> {
    const receivedAt = Date.now();
    const { metrics } = this.#dependencies;
    const given: Given[] = [];
    for (const { flagKey, ruleId, at, ...exposure } of exposures) {
      const rule = rulesByKey(property).get(measuredKey({ flagKey, environment, ruleId }));
      const { sessionId, visitorId, userId, variant } = exposure;
      const isNamed = (sessionId ?? visitorId ?? userId) !== undefined;
      if (rule === undefined || !isNamed) metrics.dropped('unknown_rule', 1);
      else if (!hasVariation(rule, variant)) metrics.dropped('unknown_variation', 1);
      else given.push({ ...exposure, rule, ...eventTime(at, receivedAt) });
    }
    if (given.length > 0) await this.#record(property, given, receivedAt, reportId);
  }

  #record(
    property: PropertyConfiguration,
    given: readonly Given[],
    receivedAt: number,
    reportId?: string,
  ): Promise<void> {
    const { keepsUsers } = this.#dependencies.cleanerOf(property);
    const visitors = new Map<string, AcceptedCollect>();
    const exposures = given.map((exposure) => {
      const { rule, variant, at, clientAt, bot } = exposure;
      const { sessionId, collect } = sessionOf(exposure, property.id, receivedAt, keepsUsers);
      if (collect !== undefined) visitors.set(sessionId, collect);
      const stored: Exposure = { splitTestKey: rule.key, variationKey: variant, sessionId, at };
      if (clientAt !== undefined) stored.clientAt = clientAt;
      if (bot) stored.bot = true;
      return stored;
    });
    const accepted: AcceptedExposures = { kind: 'exposures', propertyId: property.id, receivedAt, exposures };
    return this.#dependencies.record(accepted, [...visitors.values()], reportId);
  }

  #countFailure(evaluations: number, error: StorageError): void {
    const { metrics, log } = this.#dependencies;
    metrics.dropped('not_stored', evaluations);
    this.#failed += evaluations;
    const now = performance.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    const reason = error.message;
    log.warn({ evaluations: this.#failed, reason }, 'evaluations of measured flags could not be recorded');
    this.#loggedAt = now;
    this.#failed = 0;
  }

  #isRemembered(key: string, now: number): boolean {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.#day) this.#today.clear();
    this.#day = day;
    return this.#today.has(key);
  }

  #remember(keys: readonly string[]): void {
    for (const key of keys) this.#today.add(key);
    for (const oldest of this.#today) {
      if (this.#today.size <= MAX_REMEMBERED) return;
      this.#today.delete(oldest);
    }
  }
}

interface Given extends Pick<FlagExposure, 'variant' | 'sessionId' | 'visitorId' | 'userId' | 'bot'> {
  rule: MeasuredRuleInPlace;
  at: number;
  clientAt?: number;
}

const hasVariation = ({ phases }: MeasuredRuleInPlace, variant: string) =>
  phases.some(({ definition }) => definition.variations.some(({ key }) => key === variant));

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Its session or, without one, a session that stands for the visitor or user, with a collect that names them. */
function sessionOf(
  { sessionId, visitorId, userId }: Given,
  propertyId: string,
  receivedAt: number,
  keepsUsers: boolean,
): { sessionId: string; collect?: AcceptedCollect } {
  if (sessionId !== undefined) return { sessionId };
  const visitor = visitorId ?? hashedUnit([propertyId, 'user', userId!], sha256);
  const user = keepsUsers && !isCookieless(visitor) ? userId : undefined;
  const unit = hashedUnit([propertyId, 'session', visitor, user ?? ''], sha256);
  const collect: AcceptedCollect = {
    kind: 'collect',
    propertyId,
    receivedAt,
    sessionId: unit,
    visitorId: visitor,
    ...(user !== undefined && { userId: user }),
    device: 'unknown',
    browser: 'unknown',
    os: 'unknown',
    events: [],
    expired: true,
  };
  return { sessionId: unit, collect };
}
