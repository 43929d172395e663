import type { Feedback, Goals } from '../conversions.ts';
import type { FlagEvaluations } from '../flags/flag-evaluations.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { PublicKey } from '../split-tests/public-key.ts';

/** What the relay uses of the client that it belongs to. */
export interface RelayClient {
  settings: Settings;
  evaluations: FlagEvaluations;
  goals: Goals;
  feedback: Feedback;
  publicKey: PublicKey;
  reporter: Reporter;
  isClosed(): boolean;
}
