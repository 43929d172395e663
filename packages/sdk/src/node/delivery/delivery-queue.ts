import { type DeliveryResult, failure, type Result } from '../../client/result.ts';
import { pause } from '../api-client.ts';
import { holdExit } from '../exit-hold.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { PublicApi } from '../split-tests/public-key.ts';
import { createDelivery, type Delivery, ENDPOINTS } from './delivery.ts';
import { DeliveryLane } from './delivery-lane.ts';
import { DeliverySender, type SendFailure } from './delivery-sender.ts';
import { type Exposure, ExposureBatch } from './exposure-batch.ts';
import { MAX_BYTES, MAX_EVENTS, QueueSize } from './queue-size.ts';
import { Spool } from './spool/spool.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** The largest body that the service accepts. */
const MAX_BODY_BYTES = 1024 * 1024;
const PUBLIC_CONCURRENCY = 4;
const SECRET_CONCURRENCY = 8;

interface SessionIds {
  sessionId: string;
  visitorId: string;
  userId: string | undefined;
}

/**
 * Delivers events in the background, over outages of the service and, with a spool directory, over restarts of this
 * process. Goals and feedback are sent at once and have a lane of their own, so that they never wait for exposures.
 */
export class DeliveryQueue {
  readonly #settings: Settings;
  readonly #reporter: Reporter;
  readonly #lanes: { public: DeliveryLane; secret: DeliveryLane };
  readonly #spool: Spool | undefined;
  readonly #calls = new WaitingCalls();
  /** Requests that are being written to the spool, and are not sent yet. */
  readonly #writing = new Map<Delivery, Promise<unknown>>();
  readonly #onChange = new Set<() => void>();
  /** Its exposures are not counted in the size. */
  readonly #batch: ExposureBatch;
  readonly #size = new QueueSize();
  #release: (() => void) | undefined;
  #exitDeadline = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor({ settings, api, publicKey, reporter }: PublicApi) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#batch = new ExposureBatch(settings.propertyId, () => this.#queueBatch());
    const sender = new DeliverySender({ settings, api, publicKey });
    const createLane = (concurrency: number) =>
      new DeliveryLane({
        concurrency,
        send: (delivery) => sender.send(delivery, Math.max(1, this.#exitDeadline - performance.now())),
        onSettled: (delivery, refusal) => this.#onSettled(delivery, refusal),
        onFailed: (delivery, failed) => this.#onFailed(delivery, failed),
      });
    this.#lanes = { public: createLane(PUBLIC_CONCURRENCY), secret: createLane(SECRET_CONCURRENCY) };
    if (settings.spoolDirectory === undefined) return;
    this.#spool = new Spool({
      directory: settings.spoolDirectory,
      service: `${settings.apiUrl} ${settings.propertyId}`,
      reporter,
      // Into an empty queue, a file of any size: nothing else would ever make room for it.
      canAdopt: (bytes) => this.#size.events === 0 || this.#size.hasRoom({ events: 1, bytes }),
      adopt: (delivery) => this.#accept(delivery, false),
    });
  }

  expose(exposure: Exposure): void {
    if (this.#closed) return;
    this.#batch.add(exposure);
    if (this.#pending > 0) this.#holdExit();
  }

  /** Links a session to its visitor and user; the service derives the device from the user agent. */
  collect(ids: SessionIds, userAgent: string | undefined): void {
    const body = JSON.stringify({ propertyId: this.#settings.propertyId, ...ids });
    this.#queuePublic(createDelivery({ kind: 'session', body, userAgent }));
  }

  /**
   * Sends a goal or feedback at once. Resolves when the service has acknowledged or refused it, or after the timeout;
   * delivery then continues in the background.
   */
  send(delivery: Delivery, timeoutMs: number): Promise<DeliveryResult> {
    if (this.#closed) return Promise.resolve(failure('closed', 'The client is closed.'));
    if (delivery.bytes > MAX_BODY_BYTES) {
      return Promise.resolve(failure('body_too_large', 'The arguments take more than 1 MiB as JSON.'));
    }
    if (!this.#size.hasRelayRoom(delivery)) {
      return Promise.resolve(
        failure('queue_full', 'The queue is full: too many events of pages are pending.'),
      );
    }
    if (!this.#makeRoom(delivery)) {
      return Promise.resolve(failure('queue_full', 'The queue is full: too many events are pending.'));
    }
    const stopHurrying = this.#lanes.secret.hurry();
    const result = this.#calls.wait(delivery, timeoutMs, () => this.#stopWaiting(delivery));
    void this.#accept(delivery, true);
    return result.finally(stopHurrying);
  }

  /** Sends all pending events, also those that processes that are gone have left in the spool. Success: all are stored. */
  async flush(timeoutMs: number): Promise<Result> {
    const deadline = performance.now() + timeoutMs;
    const lanes = Object.values(this.#lanes);
    this.#queueBatch();
    const stopHurrying = lanes.map((lane) => lane.hurry());
    for (const lane of lanes) lane.retryNow();
    let hasTakenOver = false;
    do {
      hasTakenOver = await this.#takeOver(deadline);
      await this.#changed(deadline, () => {
        const isTooLate = this.#writing.size === 0 && lanes.every((lane) => lane.nextAttemptAt > deadline);
        return this.#pending === 0 || (isTooLate && this.#batch.size === 0);
      });
    } while (this.#pending === 0 && !hasTakenOver && performance.now() < deadline);
    for (const stop of stopHurrying) stop();
    const pending = this.#pending;
    await Promise.race([this.#spool?.sync(), pause(deadline - performance.now(), true)]);
    if (pending === 0 && hasTakenOver) return { success: true };
    const failed = this.#lanes.secret.failure ?? this.#lanes.public.failure;
    const { code, message } = failed?.error ?? { code: 'timeout', message: 'Flushing timed out.' };
    if (pending === 0) return failure(code, `The spool could not be read in time: ${message}`);
    return failure(code, `${pending} events could not be sent yet: ${message}`);
  }

  /** Resolves to whether everything that processes that are gone have left in the spool is in this queue. */
  async #takeOver(deadline: number): Promise<boolean> {
    const spool = this.#spool;
    if (!spool) return true;
    const isComplete = spool.takeOver().then(() => !spool.hasLeftovers);
    const timeout = pause(deadline - performance.now(), true).then(() => false);
    return Promise.race([isComplete, timeout]);
  }

  /** Stops delivery. What is pending is left in the spool, or dropped without one. */
  async close(): Promise<void> {
    this.#queueBatch();
    this.#closed = true;
    for (const lane of Object.values(this.#lanes)) lane.close();
    await this.#spool?.close();
    const closed = failure('closed', 'The client was closed during the call.');
    this.#calls.finishAll((delivery) => (this.#spool?.has(delivery) ? { ...closed, queued: true } : closed));
    this.#size.clear();
    this.#releaseExit();
  }

  get #pending(): number {
    return this.#size.events + this.#batch.size;
  }

  #queueBatch(): void {
    const delivery = this.#batch.take();
    if (delivery) this.#queuePublic(delivery);
  }

  #queuePublic(delivery: Delivery): void {
    if (this.#closed) return;
    if (this.#makeRoom(delivery)) void this.#accept(delivery, false);
    else this.#reportFull('new exposures are dropped');
  }

  /** Queues it, on disk first if there is a spool; resolves to whether it is on disk. */
  async #accept(delivery: Delivery, isUrgent: boolean): Promise<boolean> {
    this.#size.add(delivery);
    this.#holdExit();
    let isOnDisk = false;
    if (this.#spool) {
      const written = this.#spool.append(delivery);
      this.#writing.set(delivery, written);
      isOnDisk = await written;
      this.#writing.delete(delivery);
    }
    const lane = this.#lanes[ENDPOINTS[delivery.kind].key];
    if (isUrgent) lane.addUrgent(delivery);
    else lane.add(delivery);
    if (isUrgent) this.#returnEarly();
    return isOnDisk;
  }

  /** Drops the oldest exposures and sessions, never goals or feedback. False if that is not enough. */
  #makeRoom(delivery: Delivery): boolean {
    while (!this.#size.hasRoom(delivery)) {
      const oldest = this.#lanes.public.takeOldest();
      if (!oldest) return false;
      this.#remove(oldest);
      this.#reportFull('dropping the oldest exposures');
    }
    return true;
  }

  #reportFull(consequence: string): void {
    const message = `More than ${MAX_EVENTS} events or ${MAX_BYTES / 1024 / 1024} MiB are pending; ${consequence}.`;
    this.#reporter.problem({ code: 'queue_full', message });
  }

  #onSettled(delivery: Delivery, refusal: SendFailure | undefined): void {
    this.#remove(delivery);
    const result: DeliveryResult = refusal ? { success: false, error: refusal.error } : { success: true };
    const isReturned = this.#calls.finish(delivery, result);
    if (refusal && !isReturned) this.#reporter.problem(refusal.error);
  }

  #onFailed(delivery: Delivery, failed: SendFailure): void {
    // A call returns the error.
    if (!this.#calls.has(delivery)) this.#reporter.problem(failed.error);
    // Waiting would not help.
    if (failed.isMisconfigured) this.#stopWaiting(delivery);
    this.#returnEarly();
    for (const notify of [...this.#onChange]) notify();
  }

  /** A call need not wait if nothing will be sent before its timeout. */
  #returnEarly(): void {
    const { nextAttemptAt } = this.#lanes.secret;
    if (nextAttemptAt === 0) return;
    for (const delivery of this.#calls.endingBefore(nextAttemptAt)) this.#stopWaiting(delivery);
  }

  #stopWaiting(delivery: Delivery): void {
    const finish = () => this.#calls.finishQueued(delivery, this.#lanes.secret.failure?.error);
    const written = this.#writing.get(delivery);
    if (written) void written.then(finish);
    else finish();
  }

  #remove(delivery: Delivery): void {
    this.#spool?.remove(delivery);
    this.#size.remove(delivery);
    this.#releaseExit();
    for (const notify of [...this.#onChange]) notify();
  }

  /** Resolves when the condition holds, which is checked after each change, or at the deadline. */
  #changed(deadline: number, condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (condition()) end();
      };
      const end = () => {
        clearTimeout(timer);
        this.#onChange.delete(check);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, deadline - performance.now()));
      this.#onChange.add(check);
      check();
    });
  }

  #holdExit(): void {
    this.#release ??= holdExit(async (timeoutMs) => {
      // Attempts that start now must not keep the process alive for longer.
      this.#exitDeadline = performance.now() + timeoutMs;
      await this.flush(timeoutMs);
      this.#exitDeadline = Number.POSITIVE_INFINITY;
    });
  }

  /** Exit signals are handled only while events are pending. */
  #releaseExit(): void {
    if (this.#pending > 0) return;
    this.#release?.();
    this.#release = undefined;
  }
}
