import { attempt } from '../client/attempt.ts';
import { warn } from '../client/warn.ts';
import type { Switchyard, SwitchyardOptions } from './switchyard.ts';

const DEFAULT_TIMEOUT_MS = 1000;

/** The id that the service computes for this visitor today. */
export async function fetchDailyIdentity({
  apiUrl,
  publicApiKey,
  propertyId,
}: SwitchyardOptions): Promise<string> {
  const url = `${apiUrl.replace(/\/+$/, '')}/v1/sessions/daily-identity?key=${publicApiKey}`;
  // Without headers, and with a body that is text: pages of other origins can send that without a preflight.
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ propertyId }) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()).id;
}

/** A client that starts when it has an id. Until then, what it is told waits; if there is none, it does nothing. */
export function waitForIdentity(
  client: Switchyard,
  isGranted: boolean,
  identify: () => Promise<void>,
): Switchyard {
  const waiting: (() => void)[] = [];
  let isIdentified = false;
  let identifying: Promise<void> | undefined;

  const start = () => {
    identifying ??= identify().then(
      () => {
        isIdentified = true;
        if (!isGranted) return;
        client.setConsent(true);
        for (const call of waiting.splice(0)) attempt(call);
      },
      (error) => warn('cannot get an id for today:', error),
    );
  };
  const later =
    <Args extends unknown[]>(call: (...args: Args) => void) =>
    (...args: Args) => {
      if (isIdentified) call(...args);
      else if (isGranted) waiting.push(() => call(...args));
    };

  if (isGranted) start();
  return {
    ...client,
    track: later(client.track),
    identify: later(client.identify),
    setAttributes: later(client.setAttributes),
    page: later(client.page),
    async ready(timeoutMs = DEFAULT_TIMEOUT_MS) {
      if (!isGranted || isIdentified) return client.ready(timeoutMs);
      const startedAt = Date.now();
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs));
      await Promise.race([identifying, timeout]);
      return client.ready(Math.max(timeoutMs - (Date.now() - startedAt), 0));
    },
    setConsent(granted) {
      isGranted = granted;
      if (!granted) waiting.length = 0;
      if (isIdentified) client.setConsent(granted);
      else if (granted) start();
    },
  };
}
