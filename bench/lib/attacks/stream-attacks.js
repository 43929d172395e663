import { Manager, OWNER_SETTINGS } from '../manager.js';
import { whole } from '../report.js';
import { StreamClients } from '../stream-clients.js';

/** The default of `STREAMS_MAX_PER_KEY`. */
const MAX_PER_KEY = 5000;
const CLIENTS = 6000;
const CHANGES = 5;

/** One key opens as many streams as it can, while a flag changes. */
async function openStreams({ server, url }) {
  const manager = await Manager.signIn(url);
  const clients = new StreamClients();
  const { opened, refused } = await clients.open(server.port, CLIENTS);
  for (let i = 0; i < CHANGES; i++) {
    const body = { environments: { production: { enabled: i % 2 === 0, value: true, rules: [] } } };
    await clients.receiveAll(() => manager.change('PATCH', '/flags/pattern', body));
  }
  clients.stop();
  return { outcome: `${whole(opened)} open, ${whole(refused)} refused`, held: opened === MAX_PER_KEY };
}

/** Attacks with streams of changes. */
export const STREAM_ATTACKS = [
  {
    name: 'streams',
    size: () => `${whole(CLIENTS)} flag streams with one key, ${CHANGES} changes`,
    env: OWNER_SETTINGS,
    run: openStreams,
  },
];
