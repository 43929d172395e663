const PROPERTY_URL = '/v1/manage/properties/shop';

/** Sends a request and throws unless it succeeds. */
export async function call(url, method, path, { body, headers } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} → ${response.status}: ${text}`);
  return { headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** A person who is signed in, or a token. */
export class ManagementClient {
  #url;
  #credential;
  /** Value of the session cookie. */
  cookie;

  static async signIn(url, { email, password }) {
    const { headers } = await call(url, 'POST', '/v1/manage/sign-in', { body: { email, password } });
    return ManagementClient.withCookie(url, headers);
  }

  /** @param {Headers} headers of the response that started a session */
  static withCookie(url, headers) {
    const cookie = /switchyard_session=([^;]+)/.exec(headers.get('set-cookie'))[1];
    const client = new ManagementClient(url, { cookie: `switchyard_session=${cookie}`, origin: url });
    client.cookie = cookie;
    return client;
  }

  static withToken(url, token) {
    return new ManagementClient(url, { authorization: `Bearer ${token}` });
  }

  constructor(url, credential) {
    this.#url = url;
    this.#credential = credential;
  }

  /** @param path below `/v1/manage/properties/shop`, or from the root if it starts with a slash */
  async request(method, path, body, { comment } = {}) {
    const query = comment === undefined ? '' : `?comment=${encodeURIComponent(comment)}`;
    const target = path.startsWith('/') ? path : `${PROPERTY_URL}/${path}`;
    const headers = { ...this.#credential, ...(method === 'PATCH' && { 'if-match': '*' }) };
    return (await call(this.#url, method, target + query, { body, headers })).body;
  }
}
