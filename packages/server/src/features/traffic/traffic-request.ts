import type { ComparedUnit } from '@switchyard/core/api/common';
import type { TrafficDimension, TrafficInterval } from '@switchyard/core/api/traffic';
import type { TrafficQuery } from '../../events/store/traffic-queries.ts';

/** Sessions of a period, either of people or of bots. */
export interface TrafficScope {
  query: TrafficQuery;
  bot: boolean;
  /** When it was requested. */
  asOf: number;
  /** Of its days. */
  timeZone: string;
  compare?: ComparedUnit;
}

/** A question that the serving thread sends to the report thread. */
export type TrafficRequest = { type: 'traffic' } & (
  | { question: 'summary'; scope: TrafficScope }
  | { question: 'series'; scope: TrafficScope; interval: TrafficInterval }
  | { question: 'breakdown'; scope: TrafficScope; by: TrafficDimension; limit: number }
  | { question: 'live'; propertyId: string; at: number }
  | { question: 'received'; propertyId: string }
);
