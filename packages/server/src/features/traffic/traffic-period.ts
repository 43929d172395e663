import {
  filterValue,
  MAX_TRAFFIC_BUCKETS,
  MAX_TRAFFIC_DAYS,
  TRAFFIC_DIMENSIONS,
  type TrafficInterval,
  type TrafficQuery,
  type TrafficSeriesQuery,
} from '@switchyard/core/api/traffic';
import { DAY_MS } from '@switchyard/core/time';
import { BUCKET_LENGTH } from '../../events/store/goal-buckets.ts';
import { invalidField } from '../../platform/errors/errors.ts';
import type { TrafficScope } from './traffic-request.ts';

const DEFAULT_DAYS = 30;

/** The longest period, in days, for which each interval is the default. */
const DEFAULT_INTERVALS: readonly [TrafficInterval, number][] = [
  ['hour', 3],
  ['day', 92],
  ['week', 550],
];

/** The sessions that a request is about; default: of the last 30 days. */
export function trafficScope(request: TrafficQuery, now: number): Omit<TrafficScope, 'timeZone'> {
  // The end is exclusive, and events acknowledged in this millisecond must count.
  const to = request.to ?? now + 1;
  const from = request.from ?? Math.max(0, to - DEFAULT_DAYS * DAY_MS);
  if (from >= to) throw invalidField('/from', 'must be before `to`');
  if (to - from > MAX_TRAFFIC_DAYS * DAY_MS) {
    throw invalidField('/from', `must be at most ${MAX_TRAFFIC_DAYS} days before \`to\``);
  }
  const filters = Object.fromEntries(
    TRAFFIC_DIMENSIONS.flatMap((dimension) => {
      const value = request[dimension];
      return value === undefined ? [] : [[dimension, filterValue(dimension, value)]];
    }),
  );
  const query = { propertyId: request.propertyId, from, to, filters };
  const { compare } = request;
  return { query, bot: request.bots === 'only', asOf: now, ...(compare && { compare }) };
}

/** The interval of a series, which must not have too many buckets. */
export function seriesInterval(
  { interval }: TrafficSeriesQuery,
  { query: { from, to } }: Pick<TrafficScope, 'query'>,
): TrafficInterval {
  const days = (to - from) / DAY_MS;
  if (interval === undefined) return DEFAULT_INTERVALS.find(([, max]) => days <= max)?.[0] ?? 'month';
  if (interval !== 'month' && (to - from) / BUCKET_LENGTH[interval] > MAX_TRAFFIC_BUCKETS - 1) {
    throw invalidField('/interval', `gives more than ${MAX_TRAFFIC_BUCKETS} buckets for this period`);
  }
  return interval;
}
