import { expect } from 'vitest';
import type { CallOptions, TestResponse, TestServer } from './test-server.ts';

export const OWNER = { email: 'owner@shop.example', password: 'correct horse battery staple' };
/** Environment of a server that has the owner from the start. */
export const WITH_OWNER = { ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: OWNER.password };

/** A browser on a page of the server: keeps cookies and sends its origin. */
export class Browser {
  readonly server: TestServer;
  readonly cookies = new Map<string, string>();

  constructor(server: TestServer) {
    this.server = server;
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<TestResponse> {
    const isWrite = method !== 'GET';
    const response = await this.server.call(method, path, {
      ...options,
      headers: {
        ...(this.cookies.size > 0 ? { cookie: this.cookieHeader } : {}),
        ...(isWrite ? { origin: this.server.url } : {}),
        ...options.headers,
      },
    });
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  get(path: string): Promise<TestResponse> {
    return this.call('GET', path);
  }

  post(path: string, body?: object): Promise<TestResponse> {
    return this.call('POST', path, body === undefined ? {} : { body });
  }

  put(path: string, body: object): Promise<TestResponse> {
    return this.call('PUT', path, { body });
  }

  patch(path: string, body: object): Promise<TestResponse> {
    return this.call('PATCH', path, { body });
  }

  delete(path: string, body?: object): Promise<TestResponse> {
    return this.call('DELETE', path, body === undefined ? {} : { body });
  }

  signIn(email: string, password: string, code?: string): Promise<TestResponse> {
    return this.post('/v1/manage/sign-in', { email, password, ...(code === undefined ? {} : { code }) });
  }
}

/** A browser in which the owner from the settings is signed in. */
export async function ownerBrowser(server: TestServer): Promise<Browser> {
  const browser = new Browser(server);
  const response = await browser.signIn(OWNER.email, OWNER.password);
  expect(response.status, response.text).toBe(200);
  return browser;
}

/** Invites somebody to `shop` and accepts; returns their browser and account id. */
export async function newMember(
  admin: Browser,
  email: string,
  role: 'viewer' | 'editor' | 'admin',
  propertyId = 'shop',
): Promise<{ browser: Browser; accountId: string; password: string }> {
  const invited = await admin.post(`/v1/manage/properties/${propertyId}/invitations`, { email, role });
  expect(invited.status, invited.text).toBe(201);
  const browser = new Browser(admin.server);
  const password = `the password of ${email}`;
  const token = tokenIn(invited.body.url);
  const accepted = await browser.post('/v1/manage/invitations/accept', { token, name: email, password });
  expect(accepted.status, accepted.text).toBe(200);
  return { browser, accountId: accepted.body.account.id, password };
}

export const tokenIn = (url: string): string => new URL(url).hash.replace('#token=', '');
