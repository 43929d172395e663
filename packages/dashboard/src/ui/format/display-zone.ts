import { type TimeZone, timeZone } from '@switchyard/core/time-zone';

const own = timeZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
let shown = own;

/** The zone in which times are shown and entered: that of the property, else that of the browser. */
export const displayZone = (): TimeZone => shown;

/** Pages of a property call it before they are rendered. */
export function showTimesIn(name: string | undefined): void {
  shown = name === undefined ? own : timeZone(name);
}
