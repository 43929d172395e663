import { createCleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { Host } from '../client/host.ts';
import type { SessionEvent } from '../client/split-testing-client.ts';
import type { SwitchyardOptions } from './private.ts';

interface RequestBody {
  userId?: string;
  attributes?: object;
  events?: SessionEvent[];
  exposures?: { attributes?: object }[];
}

/** Cleans what the page sends, as the service would. Repeated attempts send the same bytes. */
export function cleanRequests(
  host: Host,
  { identity = 'cookies', preset, maskValues = true, allowedParameters = [] }: SwitchyardOptions,
): void {
  const { fetch } = host;
  const cleaner = createCleaner({
    preset: preset ?? null,
    maskValues,
    allowedParameters: [...allowedParameters],
  });
  const keepsUsers = cleaner.keepsUsers && identity === 'cookies';
  const object = (value: object | undefined) => value && JSON.parse(cleaner.json(value));
  const event = ({ url, referrer, title, properties, ...rest }: SessionEvent) => ({
    ...rest,
    url: url && cleaner.url(url),
    referrer: referrer && cleaner.referrer(referrer),
    title: title && cleaner.text(title),
    properties: object(properties),
  });
  const clean = (text: string): string => {
    const { userId, attributes, events, exposures, ...rest }: RequestBody = JSON.parse(text);
    return JSON.stringify({
      ...rest,
      userId: keepsUsers ? userId : undefined,
      attributes: object(attributes),
      events: events?.filter(({ type }) => keepsUsers || type !== 'identify').map(event),
      exposures: exposures?.map((exposure) => ({ ...exposure, attributes: object(exposure.attributes) })),
    });
  };
  host.fetch = (url, init) =>
    fetch(url, typeof init.body === 'string' ? { ...init, body: clean(init.body) } : init);
}
