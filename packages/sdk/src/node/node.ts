export type { Result } from '../client/result.ts';
export type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
export type {
  Bootstrap,
  Choice,
  SplitTestConfig,
  SplitTestDefinition,
  Variation,
} from '../client/split-tests.ts';
export type { Feedback, FeedbackCall, GoalCall, Goals } from './conversions.ts';
export { createSwitchyard, type Switchyard } from './create-switchyard.ts';
export type { FlagDetails, FlagErrorCode, FlagReason } from './flag-details.ts';
export type { FlagStatus } from './flag-source.ts';
export type { FlagContext, Flags } from './flags.ts';
export type { SwitchyardOptions } from './options.ts';
export type { RequestClient } from './request-client.ts';
export type { RequestSplitTestOptions, RequestSplitTests } from './request-split-tests.ts';
export type { Session, Sessions, SessionsPage, SessionsQuery } from './sessions.ts';
