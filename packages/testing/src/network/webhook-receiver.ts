import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = (response: ServerResponse, received: ReceivedWebhook) => void;

const ACCEPT: Answer = (response) => response.writeHead(204).end();

/** An HTTP server on this machine that records what it receives. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Answers the next requests. */
  answer: Answer = ACCEPT;
  readonly #server: Server;

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = {
          url: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        };
        this.received.push(received);
        this.answer(response, received);
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Answers with a status from now on. */
  answerWith(status: number, headers: Record<string, string> = {}, body = ''): void {
    this.answer = (response) => response.writeHead(status, headers).end(body);
  }

  acceptAll(): void {
    this.answer = ACCEPT;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
