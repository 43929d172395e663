import { MAX_WEBHOOK_URL_LENGTH, WEBHOOK_EVENTS } from '@switchyard/core/api/webhooks';
import type { Webhook } from '../../configuration/property/property-configuration.ts';
import { isPrivateHost } from './private-address.ts';

/** Records a problem of the field at a JSON pointer. */
type Report = (pointer: string, message: string) => void;

/** Checks a webhook before it is saved. The addresses behind a host name are checked again for every delivery. */
export function checkWebhook(
  { url, events }: Pick<Webhook, 'url' | 'events'>,
  { allowPrivate }: { allowPrivate: boolean },
  report: Report,
): void {
  checkUrl(url, allowPrivate, report);
  checkEvents(events, report);
}

function checkUrl(text: string, allowPrivate: boolean, report: Report): void {
  if (text.length > MAX_WEBHOOK_URL_LENGTH) {
    report('/url', `must have at most ${MAX_WEBHOOK_URL_LENGTH} characters`);
  } else if (!URL.canParse(text)) {
    report('/url', 'must be a URL such as https://shop.example/webhooks');
  } else {
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) report('/url', 'must start with https:// or http://');
    if (url.username !== '' || url.password !== '') {
      report('/url', 'must not contain a user name or password; verify the signature instead');
    }
    if (!allowPrivate && isPrivateHost(url)) {
      report(
        '/url',
        'must not be an address of this machine or of a private network; the setting WEBHOOK_ALLOW_PRIVATE allows it',
      );
    }
  }
}

function checkEvents(events: readonly string[], report: Report): void {
  const known: readonly string[] = WEBHOOK_EVENTS;
  if (events.length === 0) report('/events', 'must contain at least one event type');
  for (const [index, event] of events.entries()) {
    if (!known.includes(event)) report(`/events/${index}`, `must be one of ${known.join(', ')}`);
    else if (events.indexOf(event) !== index) report(`/events/${index}`, `"${event}" is listed twice`);
  }
}
