import { exposedUnit } from '@switchyard/core/evaluation/exposed-unit';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import { type FlagContext, visitOf } from './flag-context.ts';
import type { FlagState } from './flag-state.ts';

/** Whom a measured rule was evaluated for, as `POST /v1/flags/usage` takes it. */
export interface MeasuredExposure {
  flagKey: string;
  ruleId: string;
  variant: string;
  sessionId?: string;
  visitorId?: string;
  userId?: string;
  at: number;
  bot?: true;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Evaluations that are remembered. Reporting one again is harmless: each visitor counts once. */
const MAX_REMEMBERED = 50_000;
/** What may wait for the service; further ones are dropped. */
const MAX_WAITING = 20_000;

/** Collects evaluations of measured rules, once per visitor or user, variant and day. Never throws. */
export class MeasuredExposures {
  readonly #settings: Settings;
  readonly #reporter: Reporter;
  /** What was collected today by flag, oldest first. */
  readonly #today = new Map<string, Set<string>>();
  #remembered = 0;
  #day = 0;
  #waiting: MeasuredExposure[] = [];
  #dropped = 0;

  constructor(settings: Settings, reporter: Reporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /** Call it after an evaluation of a flag with measured rules. */
  add(state: FlagState, key: string, context: FlagContext): void {
    const { isRefused, fromBot } = visitOf(context);
    if (isRefused) return;
    const { propertyId, preset } = this.#settings;
    const at = Date.now();
    try {
      for (const { flagKey, ruleId, variant, unit } of state.exposures(key, context)) {
        const who = exposedUnit({ propertyId, keepsUsers: preset === undefined }, context, unit);
        if (!this.#isFirst(flagKey, JSON.stringify([ruleId, variant, who]), at)) continue;
        if (this.#waiting.length >= MAX_WAITING) this.#dropped++;
        else this.#waiting.push({ flagKey, ruleId, variant, ...who, at, ...(fromBot && { bot: true }) });
      }
    } catch {
      // A context with throwing getters.
    }
  }

  /** Of changed flags, so that a new phase of their rules has everybody. */
  forget(keys: readonly string[]): void {
    for (const key of keys) {
      this.#remembered -= this.#today.get(key)?.size ?? 0;
      this.#today.delete(key);
    }
  }

  /** Returns what was collected since the last call. */
  take(): MeasuredExposure[] {
    const taken = this.#waiting;
    this.#waiting = [];
    if (this.#dropped > 0) {
      const message = `${this.#dropped} evaluations of measured flags were dropped: ${MAX_WAITING} are waiting already.`;
      this.#reporter.problem({ code: 'exposures_dropped', message });
      this.#dropped = 0;
    }
    return taken;
  }

  #isFirst(flagKey: string, memory: string, now: number): boolean {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.#day || this.#remembered >= MAX_REMEMBERED) {
      this.#today.clear();
      this.#remembered = 0;
    }
    this.#day = day;
    const own = this.#today.get(flagKey) ?? new Set();
    this.#today.set(flagKey, own);
    if (own.has(memory)) return false;
    own.add(memory);
    this.#remembered++;
    return true;
  }
}
