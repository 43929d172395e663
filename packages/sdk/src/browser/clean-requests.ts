import { createCleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { Host } from '../client/host.ts';
import type { SessionEvent } from '../client/split-testing-client.ts';
import type { SwitchyardOptions } from './switchyard.ts';

export interface PrivacyOptions {
  /**
   * How visitors are recognized. `cookies` (default): by a cookie. `view`: not at all, each load of a page is a visitor
   * of its own. `day`: by an id of the service that is different on the next day. With `view` and `day`, nothing is
   * stored on the device, and visitors are counted but never listed.
   */
  identity?: 'cookies' | 'view' | 'day';
  /**
   * `cnil`: no user ids, a visitor cookie that ends 13 months after it was set and is not shared with other subdomains,
   * and only the site of a referrer.
   */
  preset?: 'cnil';
  /** Masks email addresses, tokens and card numbers before they leave the page. Default: `true`. */
  maskValues?: boolean;
}

interface RequestBody {
  userId?: string;
  attributes?: object;
  events?: SessionEvent[];
  exposures?: { attributes?: object }[];
}

/** Cleans what the page sends, as the service would. Repeated attempts send the same bytes. */
export function cleanRequests(
  host: Host,
  {
    identity = 'cookies',
    preset,
    maskValues = true,
    allowedParameters = [],
  }: PrivacyOptions & Pick<SwitchyardOptions, 'allowedParameters'>,
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
