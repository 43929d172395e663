import { newId } from '../../client/identity.ts';

/** What is sent: the endpoint and the kind of key that it takes. */
export const ENDPOINTS = {
  exposures: { path: '/v1/split-testing/expose', key: 'public' },
  session: { path: '/v1/sessions/collect', key: 'public' },
  increment: { path: '/v1/goals/increment', key: 'secret' },
  decrement: { path: '/v1/goals/decrement', key: 'secret' },
  feedback: { path: '/v1/feedback/submit', key: 'secret' },
} as const;

export type DeliveryKind = keyof typeof ENDPOINTS;

/** A request that is sent until acknowledged, always with the same body and idempotency key. */
export interface Delivery {
  readonly kind: DeliveryKind;
  readonly body: string;
  readonly idempotencyKey: string;
  /** Of the visitor; the service derives the device from it. */
  readonly userAgent?: string | undefined;
  /** Sent by a page, through the relay. */
  readonly isRelayed: boolean;
  /** Number of events in it. */
  readonly events: number;
  readonly bytes: number;
  /** Unix milliseconds. */
  readonly queuedAt: number;
  /** Time of the first attempt, which the service may have stored even if its response was lost. */
  triedAt?: number;
}

/** The service remembers idempotency keys for 24 hours; a later retry could count twice. */
const MAX_RETRY_AGE_MS = 23 * 60 * 60 * 1000;

export const isExpired = ({ triedAt }: Delivery): boolean =>
  triedAt !== undefined && Date.now() - triedAt > MAX_RETRY_AGE_MS;

interface DeliveryFields {
  kind: DeliveryKind;
  body: string;
  idempotencyKey?: string | undefined;
  userAgent?: string | undefined;
  isRelayed?: boolean;
  events?: number;
}

export function createDelivery({
  kind,
  body,
  idempotencyKey,
  userAgent,
  isRelayed = false,
  events = 1,
}: DeliveryFields): Delivery {
  return {
    kind,
    body,
    idempotencyKey: idempotencyKey ?? newId(),
    userAgent,
    isRelayed,
    events,
    bytes: Buffer.byteLength(body),
    queuedAt: Date.now(),
  };
}
