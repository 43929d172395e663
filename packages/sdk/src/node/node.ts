export type { DeliveryResult, Result } from '../client/result.ts';
export type { AnySchema, JsonValue, SwitchyardSchema } from '../client/schema.ts';
export type {
  Bootstrap,
  Choice,
  SplitTestConfig,
  SplitTestDefinition,
  Variation,
} from '../client/split-tests.ts';
export type { Feedback, FeedbackCall, GoalCall, Goals } from './conversions.ts';
export { createSwitchyard, type Switchyard } from './create-switchyard.ts';
export type { FlagContext } from './flags/flag-context.ts';
export type { FlagDetails, FlagErrorCode, FlagReason } from './flags/flag-details.ts';
export type { FlagError, FlagStatus } from './flags/flag-source.ts';
export type { Flags } from './flags/flags.ts';
export type { SwitchyardOptions } from './options.ts';
export type { Relay } from './relay/relay.ts';
export type { RelayLimits, RelayOptions } from './relay/relay-options.ts';
export type { RequestClient, RequestOptions } from './request-client.ts';
export type { Session, Sessions, SessionsPage, SessionsQuery } from './sessions.ts';
export type { RequestSplitTestOptions, RequestSplitTests } from './split-tests/request-split-tests.ts';
