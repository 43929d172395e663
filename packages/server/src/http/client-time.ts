import { DAY_MS, HOUR_MS } from '@switchyard/core/time';

/** A clock further off than this is wrong: clients do not hold events back for longer. */
const MAX_AGE_MS = 72 * HOUR_MS;
const MAX_AHEAD_MS = DAY_MS;

/** The last moment that a JavaScript date can hold. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** When an event happened; `clientAt` is what the client said, if the time of receipt counts instead. */
interface EventTime {
  at: number;
  clientAt?: number;
}

/** Anybody can have the public key, so a time that is far from the server's clock is not trusted. */
export function eventTime(timestamp: number | undefined, receivedAt: number): EventTime {
  if (timestamp === undefined) return { at: receivedAt };
  const said = Math.round(Math.min(timestamp, LAST_MOMENT));
  const isPlausible = said >= receivedAt - MAX_AGE_MS && said <= receivedAt + MAX_AHEAD_MS;
  return isPlausible ? { at: said } : { at: receivedAt, clientAt: said };
}
