import type { DeliveryResult } from '../../client/result.ts';
import type { Delivery } from './delivery.ts';

interface WaitingCall {
  deadline: number;
  timeoutMs: number;
  finish(result: DeliveryResult): void;
}

/** The goal and feedback calls that have not returned yet. */
export class WaitingCalls {
  readonly #calls = new Map<Delivery, WaitingCall>();

  has(delivery: Delivery): boolean {
    return this.#calls.has(delivery);
  }

  /** The result of the call. `onTimeout` has to finish it. */
  wait(delivery: Delivery, timeoutMs: number, onTimeout: () => void): Promise<DeliveryResult> {
    return new Promise((resolve) => {
      const timer = setTimeout(onTimeout, timeoutMs);
      const finish = (result: DeliveryResult) => {
        clearTimeout(timer);
        this.#calls.delete(delivery);
        resolve(result);
      };
      this.#calls.set(delivery, { deadline: performance.now() + timeoutMs, timeoutMs, finish });
    });
  }

  /** False if nobody waits for it any more. */
  finish(delivery: Delivery, result: DeliveryResult): boolean {
    const call = this.#calls.get(delivery);
    call?.finish(result);
    return call !== undefined;
  }

  /** The call returns while its request is still pending. */
  finishQueued(delivery: Delivery, error: { code: string; message: string } | undefined): void {
    const call = this.#calls.get(delivery);
    const message = `The service did not respond within ${call?.timeoutMs} ms.`;
    call?.finish({ success: false, queued: true, error: error ?? { code: 'timeout', message } });
  }

  finishAll(resultOf: (delivery: Delivery) => DeliveryResult): void {
    for (const [delivery, { finish }] of [...this.#calls]) finish(resultOf(delivery));
  }

  /** Those whose timeout is over by then. */
  endingBefore(time: number): Delivery[] {
    return [...this.#calls].filter(([, { deadline }]) => deadline < time).map(([delivery]) => delivery);
  }
}
