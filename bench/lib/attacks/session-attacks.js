import { PROPERTY } from '../fixture.js';
import { whole } from '../report.js';
import { answered, send } from './requests.js';

const events = { small: 50_000, full: 200_000 };
const largeEvents = { small: 6000, full: 48_000 };

const timeline = async ({ url }) => answered(await send(url, `/v1/sessions/long?propertyId=${PROPERTY}`));

/** One session that holds far more than any visitor does. */
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
