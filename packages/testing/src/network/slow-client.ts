import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that neither reads nor closes unless a test tells it to. */
export class SlowClient {
  readonly #socket: Socket;
  received = '';

  static async open(url: string, start = '', localAddress?: string): Promise<SlowClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      allowHalfOpen: true,
      ...(localAddress !== undefined && { localAddress }),
    });
    // The server may reset the connection.
    socket.on('error', () => {});
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.pause();
    if (start !== '') socket.write(start);
    return new SlowClient(socket);
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
  }

  /** Only known while it reads. */
  get isClosed(): boolean {
    return this.#socket.readableEnded || this.#socket.destroyed;
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** Starts to read continuously. */
  read(): void {
    this.#socket.on('data', (chunk: string) => {
      this.received += chunk;
    });
    this.#socket.resume();
  }

  /** Reads up to the given number of buffered bytes. */
  readSome(bytes: number): void {
    this.received += this.#socket.read(Math.min(bytes, this.#socket.readableLength)) ?? '';
  }

  close(): void {
    this.#socket.destroy();
  }
}

export const openSlowClients = (
  count: number,
  url: string,
  start?: string,
  localAddress?: string,
): Promise<SlowClient[]> =>
  Promise.all(Array.from({ length: count }, () => SlowClient.open(url, start, localAddress)));
