import { newId } from '../../client/identity.ts';
import { type ApiClient, pause } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { FlagContext } from './flag-context.ts';
import type { FlagEvaluation, FlagState, FlagValue } from './flag-state.ts';
import { type MeasuredExposure, MeasuredExposures } from './measured-exposures.ts';

interface Counter {
  readonly flagKey: string;
  readonly value: FlagValue;
  count: number;
}

/** Sent until acknowledged, always with the same id, so that it counts once. */
interface UsageReport {
  reportId: string;
  counts: { flagKey: string; value: FlagValue; count: number; lastAt: number }[];
  exposures: MeasuredExposure[];
  createdAt: number;
}

const INTERVAL_MS = 60_000;
/** Distinct results; further ones are not counted. */
const MAX_COUNTERS = 10_000;
/** Limits of the service, with room for escapes in the JSON. */
const MAX_REPORT_COUNTS = 1000;
const MAX_REPORT_EXPOSURES = 500;
const MAX_REPORT_LENGTH = 100_000;
/** The service remembers reports for 24 hours; a later retry could count twice. */
const MAX_REPORT_AGE_MS = 23 * 60 * 60 * 1000;
const MAX_COUNT = 1_000_000_000;
/** Closing does not wait longer for a service that is down. */
const CLOSE_TIMEOUT_MS = 3000;

/** Counts local evaluations, and whom measured rules were evaluated for, and reports them in the background, every minute and on close. Never throws. */
export class UsageCounter {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #reporter: Reporter;
  /** By result: the evaluator returns the same object for the same result. */
  #counters = new Map<FlagEvaluation, Counter>();
  /** While these are not acknowledged, new counts wait. */
  #reports: UsageReport[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isActive: boolean;
  readonly #exposures: MeasuredExposures;

  constructor(settings: Settings, api: ApiClient, reporter: Reporter) {
    this.#settings = settings;
    this.#api = api;
    this.#reporter = reporter;
    this.#exposures = new MeasuredExposures(settings, reporter);
    this.#isActive = settings.usage && settings.evaluation === 'local';
    if (this.#isActive) this.#timer = setInterval(() => this.#sendInBackground(), INTERVAL_MS).unref();
  }

  /** Called for every evaluation. */
  count(flagKey: string, evaluation: FlagEvaluation): void {
    const counter = this.#counters.get(evaluation);
    if (counter !== undefined) counter.count++;
    else if (this.#isActive && this.#counters.size < MAX_COUNTERS) {
      this.#counters.set(evaluation, { flagKey, value: evaluation.value, count: 1 });
    }
  }

  /** Called for every evaluation of a flag with measured rules. */
  expose(state: FlagState, key: string, context: FlagContext): void {
    if (this.#isActive) this.#exposures.add(state, key, context);
  }

  /** Call it when flags have changed. */
  flagsChanged(keys: readonly string[]): void {
    this.#exposures.forget(keys);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#isActive) return;
    const timeoutMs = Math.min(this.#settings.timeoutMs, CLOSE_TIMEOUT_MS);
    const deadline = performance.now() + timeoutMs;
    await Promise.race([this.#sending, pause(timeoutMs, true)]);
    if (this.#sending === undefined) {
      await this.#send(deadline, true);
      // What was counted while an earlier report had failed.
      if (this.#reports.length === 0) await this.#send(deadline, true);
    }
    this.#isActive = false;
    this.#counters.clear();
  }

  #sendInBackground(): void {
    const deadline = performance.now() + this.#settings.timeoutMs;
    this.#sending ??= this.#send(deadline, false).finally(() => {
      this.#sending = undefined;
    });
  }

  /** Sends one report after the other until one fails; the next call continues with it. */
  async #send(deadline: number, retry: boolean): Promise<void> {
    if (this.#reports.length === 0) this.#reports = this.#takeReports();
    for (let report = this.#reports[0]; report !== undefined; report = this.#reports[0]) {
      const timeoutMs = Math.ceil(deadline - performance.now());
      if (timeoutMs <= 0 || !(await this.#deliver(report, timeoutMs, retry))) return;
      this.#reports.shift();
    }
  }

  #takeReports(): UsageReport[] {
    const now = Date.now();
    const reports: UsageReport[] = [];
    let length = MAX_REPORT_LENGTH;
    for (const { flagKey, value, count } of mergeByValue(this.#counters.values())) {
      const size = flagKey.length + String(value).length;
      const current = reports.at(-1);
      const entry = { flagKey, value, count: Math.min(count, MAX_COUNT), lastAt: now };
      if (current && current.counts.length < MAX_REPORT_COUNTS && length + size <= MAX_REPORT_LENGTH) {
        current.counts.push(entry);
        length += size;
      } else {
        reports.push({ reportId: newId(), counts: [entry], exposures: [], createdAt: now });
        length = size;
      }
    }
    this.#counters.clear();
    const exposures = this.#exposures.take();
    for (let start = 0; start < exposures.length; start += MAX_REPORT_EXPOSURES) {
      const part = exposures.slice(start, start + MAX_REPORT_EXPOSURES);
      const report = reports.find((each) => each.exposures.length === 0);
      if (report) report.exposures = part;
      else reports.push({ reportId: newId(), counts: [], exposures: part, createdAt: now });
    }
    return reports;
  }

  /** False: try again later. */
  async #deliver(
    { reportId, counts, exposures, createdAt }: UsageReport,
    timeoutMs: number,
    retry: boolean,
  ): Promise<boolean> {
    if (Date.now() - createdAt > MAX_REPORT_AGE_MS) return true;
    const { propertyId, environment, secretApiKey } = this.#settings;
    const result = await this.#api.call({
      method: 'POST',
      path: '/v1/flags/usage',
      key: secretApiKey,
      body: {
        propertyId,
        environment,
        reportId,
        ...(counts.length > 0 && { counts }),
        ...(exposures.length > 0 && { exposures }),
      },
      timeoutMs,
      retry,
    });
    if (result.success) return true;
    if (result.error.code !== 'closed') this.#reporter.problem(result.error);
    return !result.transient;
  }
}

/** Different results can have the same value. */
function mergeByValue(counters: Iterable<Counter>): Iterable<Counter> {
  const merged = new Map<string, Counter>();
  for (const { flagKey, value, count } of counters) {
    const key = JSON.stringify([flagKey, value]);
    const known = merged.get(key);
    if (known) known.count += count;
    else merged.set(key, { flagKey, value, count });
  }
  return merged.values();
}
