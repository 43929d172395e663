import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that sends what it is told to and then keeps still: it neither reads nor closes by itself. */
export class UnhurriedClient {
  readonly #socket: Socket;
  received = '';

  static async open(url: string, start = ''): Promise<UnhurriedClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    // A reset is one way of hanging up.
    socket.on('error', () => {});
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.pause();
    if (start !== '') socket.write(start);
    return new UnhurriedClient(socket);
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** From now on it reads whatever comes. */
  read(): void {
    this.#socket.on('data', (chunk: string) => {
      this.received += chunk;
    });
    this.#socket.resume();
  }

  /** Reads what is there now, and nothing more. */
  sip(bytes: number): void {
    this.received += this.#socket.read(Math.min(bytes, this.#socket.readableLength)) ?? '';
  }

  close(): void {
    this.#socket.destroy();
  }
}

export const openMany = (count: number, url: string, start?: string): Promise<UnhurriedClient[]> =>
  Promise.all(Array.from({ length: count }, () => UnhurriedClient.open(url, start)));
