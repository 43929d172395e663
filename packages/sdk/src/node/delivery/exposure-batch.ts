import { attempt } from '../../client/attempt.ts';
import { createDelivery, type Delivery } from './delivery.ts';

export interface Exposure {
  splitTestKey: string;
  variationKey: string;
  sessionId: string;
  timestamp: number;
  phase?: number;
  bot?: boolean;
  attributes?: Record<string, unknown>;
}

const MAX_SIZE = 100;
const DELAY_MS = 1000;

/** Collects exposures for a second, or until there are 100. */
export class ExposureBatch {
  readonly #propertyId: string;
  readonly #onDue: () => void;
  /** As JSON: the host may change its attributes later. */
  #exposures: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `onDue` has to take the batch. */
  constructor(propertyId: string, onDue: () => void) {
    this.#propertyId = propertyId;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#exposures.length;
  }

  add(exposure: Exposure): void {
    const json = attempt(() => JSON.stringify(exposure));
    if (json === undefined) return;
    this.#exposures.push(json);
    if (this.size >= MAX_SIZE) this.#onDue();
    else this.#timer ??= setTimeout(this.#onDue, DELAY_MS).unref();
  }

  take(): Delivery | undefined {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const exposures = this.#exposures.splice(0);
    if (exposures.length === 0) return undefined;
    const body = `{"propertyId":${JSON.stringify(this.#propertyId)},"exposures":[${exposures.join()}]}`;
    return createDelivery({ kind: 'exposures', body, events: exposures.length });
  }
}
