import type { SplitTestResults } from '@switchyard/core/api/results';
import { ruleChanges } from '@switchyard/core/stats/report/decision-rule';
import type { Logger } from 'pino';
import type { Database } from '../../configuration/database/database.ts';
import { inLockingTransaction } from '../../configuration/database/in-transaction.ts';
import { currentDecisionRule } from '../../configuration/phases/fix-decision-rules.ts';
import { type MeasuredRuleName, measuredRulesOf } from '../../configuration/property/measured-rules.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
  type SplitTest,
} from '../../configuration/property/property-configuration.ts';
import { enqueue, subscribedTo, type WebhookEvent } from './enqueue.ts';
import {
  deleteSplitTestState,
  listSplitTestStates,
  type SplitTestState,
  saveSplitTestState,
} from './split-test-state-store.ts';
import { listWebhooks } from './webhook-store.ts';

const LOOK_EVERY_MS = 15 * 60 * 1000;
const EVENTS = ['verdict.changed', 'test.unhealthy'] as const;
/** While these stay, the variation that is ahead changes often and means little. */
const UNDECIDED: readonly (string | null)[] = [null, 'keep-going', 'collecting', 'unhealthy'];

export type SplitTestEvaluation = Pick<SplitTestResults, 'verdict' | 'health' | 'asOf'>;

/** A split test, or a rule of a flag that is measured like one. */
export interface WatchedTest extends Pick<SplitTest, 'id' | 'key' | 'status' | 'phases'> {
  name: string | null;
  measuredRule?: MeasuredRuleName;
}

const watchedTests = derivePerProperty((property): readonly WatchedTest[] => [
  ...property.splitTests.map(({ id, key, name = null, status, phases }) => ({
    id,
    key,
    name,
    status,
    phases,
  })),
  ...measuredRulesOf(property).map(({ id, key, name, rule, status, phases }) => ({
    id,
    key,
    name: rule?.name ?? null,
    status,
    phases,
    measuredRule: name,
  })),
]);

export interface SplitTestWatchOptions {
  database: Database;
  properties: () => readonly PropertyConfiguration[];
  /** Evaluates the latest phase of a test, on another thread. */
  evaluate: (property: PropertyConfiguration, test: WatchedTest) => Promise<SplitTestEvaluation>;
  /** Called when nothing is left to evaluate. */
  release: () => Promise<void>;
  isStopping: () => boolean;
  /** Called after new deliveries. */
  onQueued: () => void;
  log: Logger;
}

/**
 * Evaluates running tests, and once more those that stopped running, and queues what changed since the last look.
 * The first look at a phase only remembers what it finds.
 */
export class SplitTestWatch {
  readonly #options: SplitTestWatchOptions;
  #states: Map<string, SplitTestState> | undefined;
  /** When to try again after a failure, by the monotonic clock. */
  readonly #retryAt = new Map<string, number>();
  #mayRelease = false;

  constructor(options: SplitTestWatchOptions) {
    this.#options = options;
  }

  /** Evaluates at most one test, so that the tests of a run do not compete with requests for long. */
  async run(now: number): Promise<void> {
    const { database, properties, release } = this.#options;
    const watched = properties().filter(({ webhooks }) =>
      EVENTS.some((type) => subscribedTo(webhooks, type).length > 0),
    );
    if (watched.length === 0 && this.#states?.size === 0) return;
    this.#states ??= new Map(
      (await listSplitTestStates(database)).map((state) => [state.splitTestId, state]),
    );
    await this.#forgetOthers(watched);
    const next = this.#nextDue(watched, now);
    if (next !== undefined) await this.#evaluate(next.property, next.test, now);
    else if (this.#mayRelease) {
      this.#mayRelease = false;
      await release();
    }
  }

  /** A later subscription starts with what it finds then. */
  async #forgetOthers(watched: readonly PropertyConfiguration[]): Promise<void> {
    const ids = new Set(watched.flatMap((property) => watchedTests(property).map(({ id }) => id)));
    for (const state of this.#states!.values()) {
      if (ids.has(state.splitTestId)) continue;
      await deleteSplitTestState(this.#options.database, state);
      this.#states!.delete(state.splitTestId);
    }
  }

  /** The test that was last looked at longest ago. */
  #nextDue(
    watched: readonly PropertyConfiguration[],
    now: number,
  ): { property: PropertyConfiguration; test: WatchedTest } | undefined {
    const checkedAt = ({ id }: WatchedTest) => this.#states!.get(id)?.checkedAt ?? 0;
    return watched
      .flatMap((property) => watchedTests(property).map((test) => ({ property, test })))
      .filter(({ test }) => this.#isDue(test, now))
      .sort((a, b) => checkedAt(a.test) - checkedAt(b.test))[0];
  }

  #isDue(test: WatchedTest, now: number): boolean {
    const phase = test.phases.at(-1)?.number;
    if (phase === undefined || performance.now() < (this.#retryAt.get(test.id) ?? 0)) return false;
    const state = this.#states!.get(test.id);
    if (state === undefined) return test.status === 'running';
    if (state.status !== test.status) return test.status === 'running' || state.status === 'running';
    if (test.status !== 'running') return false;
    // A time in the future was stored before the clock was set back.
    return state.phase !== phase || now - state.checkedAt >= LOOK_EVERY_MS || state.checkedAt > now;
  }

  async #evaluate(property: PropertyConfiguration, test: WatchedTest, now: number): Promise<void> {
    this.#mayRelease = true;
    try {
      const found = await this.#options.evaluate(property, test);
      await this.#save(property, test, found, now);
      this.#retryAt.delete(test.id);
    } catch (err) {
      if (this.#options.isStopping()) return;
      this.#retryAt.set(test.id, performance.now() + LOOK_EVERY_MS);
      const { id: propertyId } = property;
      this.#options.log.error(
        { err, propertyId, splitTestKey: test.key },
        'evaluation of a split test for webhooks failed; retrying in 15 minutes',
      );
    }
  }

  async #save(
    property: PropertyConfiguration,
    test: WatchedTest,
    found: SplitTestEvaluation,
    now: number,
  ): Promise<void> {
    const { database, onQueued } = this.#options;
    const previous = this.#states!.get(test.id);
    const state = stateOf(property, test, found, now);
    const events =
      previous?.phase === state.phase
        ? eventsBetween(
            previous,
            { state, test, changedAfterStart: changedAfterStart(property, test) },
            found,
            now,
          )
        : [];
    const queued = await inLockingTransaction(database, async (transaction) => {
      await saveSplitTestState(transaction, state);
      const webhooks = events.length > 0 ? await listWebhooks(transaction, property.id) : [];
      let count = 0;
      for (const event of events) count += await enqueue(transaction, property.id, webhooks, event);
      return count;
    });
    this.#states!.set(test.id, state);
    if (queued > 0) onQueued();
  }
}

/** A receiver that acts on a verdict should know that its rule is not the one that was fixed. */
function changedAfterStart(property: PropertyConfiguration, { id }: WatchedTest): string[] {
  const test = property.splitTests.find((each) => each.id === id);
  if (test?.decisionRule === undefined) return [];
  return ruleChanges(test.decisionRule.rule, currentDecisionRule(property, test)).map(({ words }) => words);
}

function stateOf(
  { id: propertyId }: PropertyConfiguration,
  test: WatchedTest,
  { verdict, health }: SplitTestEvaluation,
  checkedAt: number,
): SplitTestState {
  return {
    propertyId,
    splitTestId: test.id,
    status: test.status,
    checkedAt,
    phase: test.phases.at(-1)!.number,
    decision: verdict?.decision ?? null,
    variation: verdict?.variation ?? null,
    healthy: health.healthy,
  };
}

interface Found {
  state: SplitTestState;
  test: WatchedTest;
  changedAfterStart: string[];
}

function eventsBetween(
  before: SplitTestState,
  { state, test, changedAfterStart }: Found,
  { verdict, health, asOf }: SplitTestEvaluation,
  at: number,
): WebhookEvent[] {
  const { propertyId, phase, decision, variation, healthy } = state;
  const { id, key, name, status, measuredRule } = test;
  const named = { splitTest: { key, name }, ...(measuredRule && { measuredRule }) };
  const isDecidedOtherwise = before.variation !== variation && !UNDECIDED.includes(decision);
  const events: WebhookEvent[] = [];
  if (verdict !== null && (before.decision !== decision || isDecidedOtherwise)) {
    const data = {
      propertyId,
      ...named,
      status,
      phase,
      previousDecision: before.decision,
      verdict,
      changedAfterStart,
      asOf,
    };
    events.push({ type: 'verdict.changed', data, dedupeKey: `verdict:${id}:${at}`, at });
  }
  if (before.healthy && !healthy) {
    const problems = health.problems.map(({ problem, words }) => ({ problem, words }));
    const data = { propertyId, ...named, phase, problems, asOf };
    events.push({ type: 'test.unhealthy', data, dedupeKey: `unhealthy:${id}:${at}`, at });
  }
  return events;
}
