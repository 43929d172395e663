import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** Length of a message, before its content. */
const HEADER_BYTES = 4;
/** More than any message takes. A process that reads nothing must not fill the memory of the other one. */
const MAX_UNSENT_BYTES = 256 * 1024 * 1024;

interface MessageSocketEvents {
  message: [message: never];
  close: [];
}

/** A connection to another process with the interface of a `MessagePort`: messages are copied and arrive in order. */
export class MessageSocket extends EventEmitter<MessageSocketEvents> {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes needed to continue. */
  #needed = HEADER_BYTES;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk) => this.#receive(chunk));
    // `close` follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.emit('close'));
  }

  postMessage(message: unknown): void {
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.destroy();
    const content = serialize(message);
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeUInt32LE(content.length);
    // One system call for both.
    this.#socket.cork();
    this.#socket.write(header);
    this.#socket.write(content);
    this.#socket.uncork();
  }

  /** The process may end while the connection is open. */
  unref(): void {
    this.#socket.unref();
  }

  /** Sends what was posted, and then closes. */
  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    // Joined only when a whole message is there: large ones arrive in many parts.
    if (this.#received < this.#needed) return;
    let data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      const end = data.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + data.readUInt32LE();
      if (data.length < end) {
        this.#needed = end;
        break;
      }
      const content = data.subarray(HEADER_BYTES, end);
      data = data.subarray(end);
      this.emit('message', deserialize(content) as never);
    }
    this.#chunks = data.length === 0 ? [] : [data];
    this.#received = data.length;
  }
}
