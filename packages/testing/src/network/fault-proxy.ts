import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What the proxy does with data: `pass` it on, `hold` it back for ever, `refuse` connections, `answer` requests itself, or
 * `lose` the answers of the server.
 */
type Mode = 'pass' | 'hold' | 'refuse' | 'answer' | 'lose';

/** Chooses requests by what the client sends. */
type Matches = (request: string) => boolean;

const EVERYTHING: Matches = () => true;

/** A TCP proxy in front of a server, with faults of a network. */
export class FaultProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: Mode = 'pass';
  #delayMs = 0;
  #answer = '';
  #matches = EVERYTHING;

  static async start(target: { host: string; port: number }): Promise<FaultProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, target);
  }

  private constructor(server: Server, target: { host: string; port: number }) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => {
      if (this.#mode === 'refuse') return client.destroy();
      this.#connect(client, connect(target));
    });
  }

  /** The same URL, through the proxy. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  /** What was held back is lost. */
  pass(): void {
    this.#mode = 'pass';
    this.#delayMs = 0;
  }

  /** Connections stay open, but nothing gets through. */
  hold(): void {
    this.#mode = 'hold';
  }

  /** Ends all connections, and new ones at once. */
  refuse(): void {
    this.#mode = 'refuse';
    this.cut();
  }

  /** Data from the server arrives later. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Answers these requests instead of the server, and ends their connections. */
  answer(response: string, matches = EVERYTHING): void {
    this.#mode = 'answer';
    this.#answer = response;
    this.#matches = matches;
  }

  /** The server gets these requests, but their connections end when it answers. */
  loseAnswers(matches: Matches): void {
    this.#mode = 'lose';
    this.#matches = matches;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(client: Socket, upstream: Socket): void {
    let losesAnswer = false;
    this.#forward(client, upstream, (data) => {
      if (this.#mode === 'answer' && this.#matches(data.toString('latin1'))) {
        client.end(this.#answer);
        return false;
      }
      if (this.#mode === 'lose') losesAnswer ||= this.#matches(data.toString('latin1'));
      return true;
    });
    this.#forward(upstream, client, () => {
      if (losesAnswer) client.destroy();
      return !losesAnswer;
    });
  }

  /** @param passes called with data; false if it does not get through */
  #forward(from: Socket, to: Socket, passes: (data: Buffer) => boolean): void {
    this.#sockets.add(from);
    from.on('data', (data: Buffer) => {
      if (this.#mode === 'hold' || !passes(data)) return;
      if (this.#delayMs === 0) to.write(data);
      else setTimeout(() => to.writable && to.write(data), this.#delayMs / 2);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
