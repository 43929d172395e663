import { expect } from 'vitest';
import type { Browser } from './browser.ts';
import type { TestResponse } from './test-server.ts';

type Body = TestResponse['body'];
type Version = number | '*' | undefined;

/** Manages one property through the management API. */
export class PropertyManager {
  readonly browser: Browser;
  readonly url: string;

  constructor(browser: Browser, propertyId = 'shop') {
    this.browser = browser;
    this.url = `/v1/manage/properties/${propertyId}`;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.browser.call('GET', this.url + path, { headers });
  }

  put(path: string, body: object, version?: Version): Promise<TestResponse> {
    return this.browser.call('PUT', this.url + path, { body, headers: ifMatch(version) });
  }

  patch(path: string, body: object, version?: Version): Promise<TestResponse> {
    return this.browser.call('PATCH', this.url + path, { body, headers: ifMatch(version) });
  }

  delete(path: string, version?: Version): Promise<TestResponse> {
    return this.browser.call('DELETE', this.url + path, { headers: ifMatch(version) });
  }

  post(path: string, body?: object, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.browser.call('POST', this.url + path, { ...(body && { body }), headers });
  }

  /** The body of a read that succeeds. */
  async read(path: string): Promise<Body> {
    const response = await this.get(path);
    expect(response.status, response.text).toBe(200);
    return response.body;
  }

  /** The newest entries of the history. */
  async history(query = ''): Promise<Body[]> {
    return (await this.read(`/history${query}`)).history;
  }

  /** Everything that a write could change. */
  async state(): Promise<Body> {
    const paths = ['/configuration', '/keys', '/members', '/proposals', '/history?limit=1', '/invitations'];
    return Promise.all(paths.map((path) => this.read(path)));
  }
}

function ifMatch(version: Version): Record<string, string> {
  if (version === undefined) return {};
  return { 'if-match': version === '*' ? '*' : `"${version}"` };
}

/** Expects a status and returns the body. */
export function bodyOf(response: TestResponse, status = 200): Body {
  expect(response.status, response.text).toBe(status);
  return response.body;
}

/** Expects an error, and returns the response with its details. */
export function errorOf(response: TestResponse, status: number, code: string): Body {
  expect({ status: response.status, code: response.body?.error?.code }, response.text).toEqual({
    status,
    code,
  });
  return response.body;
}
