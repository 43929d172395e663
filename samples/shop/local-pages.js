import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Two addresses on a port of this machine: a link that signs a browser in, once, and the receiver of the sample's
 * webhook. Cookies of 127.0.0.1 are sent to all of its ports, so the link can set that of the server.
 */
export class LocalPages {
  #server = createServer((request, response) => this.#respond(request, response));
  #path = `/sign-in/${randomBytes(24).toString('base64url')}`;
  #target;
  webhookUrl;

  static async open() {
    const pages = new LocalPages();
    pages.#server.listen(0, '127.0.0.1');
    await once(pages.#server, 'listening');
    pages.webhookUrl = `${pages.#url}/team-chat`;
    return pages;
  }

  get #url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Returns the link. @param {{cookie: string, location: string}} target a session, and the page to open */
  offerSignIn(target) {
    this.#target = target;
    return this.#url + this.#path;
  }

  #respond(request, response) {
    request.resume();
    response.setHeader('cache-control', 'no-store');
    response.setHeader('referrer-policy', 'no-referrer');
    if (request.method === 'POST' && request.url === '/team-chat') response.writeHead(204);
    else if (request.method === 'GET' && isEqual(request.url, this.#path)) this.#signIn(response);
    else response.writeHead(404);
    response.end();
  }

  #signIn(response) {
    if (this.#target === undefined) return response.writeHead(410);
    const { cookie, location } = this.#target;
    this.#target = undefined;
    const attributes = `Path=/; Max-Age=${14 * 24 * 60 * 60}; HttpOnly; SameSite=Lax`;
    return response.writeHead(303, { location, 'set-cookie': `switchyard_session=${cookie}; ${attributes}` });
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function isEqual(a, b) {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
