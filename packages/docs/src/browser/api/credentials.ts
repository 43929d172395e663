import { element } from '../element.ts';
import type { Endpoint } from './api-document.ts';

/** Keys that requests are sent with. They are never stored: a reload forgets them. */
const given = { publicKey: '', secretKey: '', accessToken: '' };
type Kind = keyof typeof given;

const FIELDS: Record<Kind, { label: string; placeholder: string }> = {
  publicKey: { label: 'Public key', placeholder: 'service_pub_…' },
  secretKey: { label: 'Secret key', placeholder: 'service_sec_…' },
  accessToken: { label: 'Access token', placeholder: 'service_adm_…' },
};
const CHANGED = 'switchyard-credentials';

/** The credential that an endpoint takes, first choice first. */
function kindOf(endpoint: Endpoint): Kind | undefined {
  const schemes = endpoint.security.flatMap((each) => Object.keys(each));
  return (Object.keys(FIELDS) as Kind[]).find((kind) => schemes.includes(kind));
}

/** The header with the credential of an endpoint; with a placeholder while there is none. */
export function credentialHeader(
  endpoint: Endpoint,
  { asShown }: { asShown: boolean },
): Record<string, string> {
  const kind = kindOf(endpoint);
  if (kind === undefined) return {};
  // Keys stay out of the examples, which people copy into tickets.
  const value = asShown ? FIELDS[kind].placeholder : given[kind];
  if (value === '') return {};
  return kind === 'accessToken' ? { authorization: `Bearer ${value}` } : { 'x-api-key': value };
}

/** What the endpoint accepts, in words. */
export function accessText(endpoint: Endpoint): string {
  const names: Record<string, string> = {
    publicKey: 'public key',
    publicKeyInQuery: 'public key in the query',
    secretKey: 'secret key',
    bearerKey: 'secret key as a bearer token',
    sessionCookie: 'dashboard session',
    accessToken: 'access token',
  };
  const schemes = endpoint.security.flatMap((each) => Object.keys(each));
  return schemes.length === 0 ? 'no key' : schemes.map((scheme) => names[scheme] ?? scheme).join(', ');
}

/** The field for the credential of an endpoint; all fields of the same kind have the same value. */
export function credentialField(endpoint: Endpoint): HTMLElement | undefined {
  const kind = kindOf(endpoint);
  if (kind === undefined) return undefined;
  const { label, placeholder } = FIELDS[kind];
  const input = element('input', {
    type: kind === 'publicKey' ? 'text' : 'password',
    placeholder,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  input.value = given[kind];
  input.addEventListener('input', () => {
    given[kind] = input.value.trim();
    document.dispatchEvent(new Event(CHANGED));
  });
  document.addEventListener(CHANGED, () => {
    if (input.value.trim() !== given[kind]) input.value = given[kind];
  });
  const takesSession = endpoint.security.some((scheme) => 'sessionCookie' in scheme);
  const hint = takesSession
    ? 'Not stored. Without it, your session of the dashboard is used.'
    : 'Not stored.';
  return element('label', {}, element('span', {}, label), input, element('small', {}, hint));
}
