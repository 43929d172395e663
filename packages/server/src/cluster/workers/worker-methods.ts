import type { Attempt, AttemptBy } from '../../features/accounts/sign-in-throttle.ts';
import type { TokenLease } from '../../http/access/token-buckets.ts';
import type { MetricsSnapshot } from '../../http/monitoring/metrics.ts';
import type { TokenCount } from './leased-tokens.ts';

/** What a worker asks of the primary process. */
export interface PrimaryMethods {
  /** Returns when storage and configuration are ready. */
  waitForStart(): void;
  /** The worker is connected to everything it needs, and has a port. */
  listening(url: string): void;
  startFailed(message: string): void;
  report(request: unknown): { contentType: string; body: Uint8Array };
  lease(wanted: TokenCount[]): TokenLease[];
  giveBack(unused: TokenCount[]): void;
  /** The metrics of all processes together, as text. */
  metrics(): string;
  /** Returns when all processes have loaded what this worker has saved. */
  configurationSaved(): void;
  /** Returns when all processes have ended the streams of ended sessions and tokens. */
  accessChanged(): void;
  wakeWebhooks(webhook: { propertyId: string; webhookId: string }): void;
  /** See `SignInThrottle`. */
  beginSignIn(by: AttemptBy): void;
  endSignIn(by: AttemptBy, outcome: keyof Attempt): void;
}

/** What the primary process asks of a worker. */
export interface WorkerMethods {
  /** Finishes the requests that were accepted; then the process exits. */
  stop(): void;
  /** See `RequestServer`. */
  announceShutdown(): void;
  metrics(): MetricsSnapshot;
  reloadConfiguration(): void;
  checkAccess(): void;
}
