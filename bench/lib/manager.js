// Changes through the management API, and reads that show them.
import { PROPERTY, SECRET_KEY } from './fixture.js';

const OWNER = { email: 'owner@shop.example', password: 'only for measurements' };
const MANAGED = `/v1/manage/properties/${PROPERTY}`;

/** Environment of a server that `Manager` can sign in to. */
export const OWNER_SETTINGS = { ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: OWNER.password };

/** Requests with an access token. */
export class Manager {
  #url;
  #token;

  static async signIn(url) {
    const manager = new Manager();
    manager.#url = url;
    const headers = { 'content-type': 'application/json', origin: url };
    const post = (path, body, more) =>
      fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const signedIn = await post('/v1/manage/sign-in', OWNER);
    const cookie = signedIn.headers.getSetCookie()[0].split(';')[0];
    const expiresAt = Date.now() + 3_600_000;
    const created = await post(
      '/v1/manage/me/tokens',
      { name: 'bench', role: 'owner', expiresAt },
      { cookie },
    );
    manager.#token = (await created.json()).token;
    return manager;
  }

  /** A change; `at` is when its response had arrived, `item` its body. */
  async change(method, path, body) {
    const startedAt = performance.now();
    const response = await fetch(`${this.#url}${MANAGED}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(method === 'PATCH' && { 'if-match': '*' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const at = performance.now();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status}: ${text}`);
    return { at, took: at - startedAt, item: text === '' ? undefined : JSON.parse(text) };
  }
}

/** The result of one flag for somebody. */
export async function evaluateFlag(url, flagKey) {
  const response = await fetch(`${url}/v1/flags/evaluate`, {
    method: 'POST',
    headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ propertyId: PROPERTY, context: { userId: 'nobody' }, flagKeys: [flagKey] }),
  });
  return (await response.json()).flags[flagKey];
}

/** Milliseconds since the acknowledgement until a read shows the change. */
export async function untilVisible(at, read) {
  while (!(await read()))
    if (performance.now() - at > 10_000) throw new Error('the change never became visible');
  return performance.now() - at;
}
