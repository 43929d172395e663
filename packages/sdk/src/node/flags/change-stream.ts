import type { ClientRequest, IncomingMessage } from 'node:http';
import { parseRetryAfter } from '@switchyard/core/retry-after';
import { retryDelay } from '../../client/retry.ts';
import { messageOf } from '../api-client.ts';
import { EventStreamParser } from './event-stream-parser.ts';

/** Three missed heartbeats: the connection is dead. */
const MAX_SILENCE_MS = 45_000;

interface Listeners {
  /** The data of `state`, after each connection, or of `change`. */
  onUpdate(data: string): void;
  onDown(error: { code: string; message: string }): void;
}

/**
 * The stream of flag changes; reconnects whenever it ends. Uses `node:http`, because the socket of a `fetch` cannot be
 * unreferenced: an open stream would keep the process alive forever.
 */
export class ChangeStream {
  readonly #url: string;
  readonly #key: string;
  readonly #listeners: Listeners;
  #request: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(url: string, key: string, listeners: Listeners) {
    this.#url = url;
    this.#key = key;
    this.#listeners = listeners;
    void this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#request?.destroy();
  }

  async #connect(): Promise<void> {
    try {
      const { request } = await (this.#url.startsWith('https:') ? import('node:https') : import('node:http'));
      if (this.#closed) return;
      const headers = { 'x-api-key': this.#key, accept: 'text/event-stream' };
      let isOver = false;
      const end = (error: { code: string; message: string }, retryAfterMs = 0) => {
        if (isOver) return;
        isOver = true;
        clientRequest.destroy();
        this.#reconnect(error, retryAfterMs);
      };
      const clientRequest = request(this.#url, { headers, agent: false });
      this.#request = clientRequest;
      clientRequest.on('socket', (socket) => socket.unref());
      clientRequest.on('response', (response) => this.#read(response, end));
      clientRequest.on('error', (error) => end({ code: 'network_error', message: messageOf(error) }));
      clientRequest.setTimeout(MAX_SILENCE_MS, () =>
        end({ code: 'timeout', message: 'The stream of flag changes timed out.' }),
      );
      clientRequest.end();
    } catch (error) {
      this.#reconnect({ code: 'network_error', message: messageOf(error) }, 0);
    }
  }

  #read(
    response: IncomingMessage,
    end: (error: { code: string; message: string }, retryAfterMs?: number) => void,
  ): void {
    const { statusCode = 0, headers } = response;
    if (statusCode !== 200 || !headers['content-type']?.includes('text/event-stream')) {
      const message = `The service refused the stream of flag changes with status ${statusCode}.`;
      const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
      end({ code: 'stream_refused', message }, retryAfterMs);
      return;
    }
    this.#failures = 0;
    const parser = new EventStreamParser(({ event, data }) => {
      if ((event === 'state' || event === 'change') && !this.#closed) this.#listeners.onUpdate(data);
    });
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      if (!parser.feed(text))
        end({ code: 'unexpected_response', message: 'The response is not an event stream.' });
    });
    response.on('error', (error) => end({ code: 'network_error', message: messageOf(error) }));
    response.on('close', () => end({ code: 'network_error', message: 'The stream of flag changes ended.' }));
  }

  #reconnect(error: { code: string; message: string }, retryAfterMs: number): void {
    if (this.#closed) return;
    this.#failures += 1;
    this.#listeners.onDown(error);
    this.#timer = setTimeout(
      () => void this.#connect(),
      retryDelay(this.#failures, retryAfterMs, Math.random),
    ).unref();
  }
}
