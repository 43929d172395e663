import type { StorageChannel, StorageListener } from '../storage-channel.ts';
import type { StorageReply, StorageRequest } from '../storage-messages.ts';
import type { MessageSocket } from './message-socket.ts';

/** Reaches the storage thread of another process. */
export class SocketChannel implements StorageChannel {
  readonly ended: Promise<void>;
  readonly #socket: MessageSocket;
  #closing = false;

  constructor(socket: MessageSocket) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => socket.on('close', resolve));
  }

  listen(listener: StorageListener): void {
    this.#socket.on('message', (reply: StorageReply) => listener.receive(reply));
    this.#socket.on('close', () => {
      if (!this.#closing) listener.fail(new Error('the connection to the storage thread was lost'));
    });
  }

  post(request: StorageRequest): void {
    this.#socket.postMessage(request);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#socket.end();
    await this.ended;
  }
}
