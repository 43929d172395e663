import { PROPERTY } from '../fixture.js';
import { whole } from '../report.js';
import { outcomeOf, send } from './requests.js';

const events = { small: 50_000, full: 200_000 };
const largeEvents = { small: 6000, full: 48_000 };

const timeline = async ({ url }) => outcomeOf(await send(url, `/v1/sessions/long?propertyId=${PROPERTY}`));

/** A session with far more events than any real visitor produces. */
export const SESSION_ATTACKS = [
  {
    name: 'timeline',
    size: (scale) => `a session of ${whole(events[scale])} events`,
    fill: (scale) => ['longSession', events[scale]],
    run: timeline,
  },
  {
    name: 'timeline-large',
    size: (scale) => `a session of ${whole(largeEvents[scale])} events of 8 KB`,
    fill: (scale) => ['longSession', largeEvents[scale], 8000],
    run: timeline,
  },
];
