const MINUTE = 60 * 1000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time `HH:MM` (UTC) of the day that many days before now; negative days are in the future. */
export function daysAgo(now, days, time = '09:00') {
  const [hours, minutes] = time.split(':').map(Number);
  return now - (now % DAY) - days * DAY + hours * HOUR + minutes * MINUTE;
}
