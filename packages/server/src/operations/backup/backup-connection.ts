import { connect, type Socket } from 'node:net';
import type { HeldFiles } from '../../events/store/event-store.ts';
import { CONTROL_SOCKET, withSocketPath } from '../../events/thread/socket/socket-path.ts';
import { type BackupReply, type BackupRequest, onMessage, sendMessage } from './backup-messages.ts';

/** The connection of a backup to the running server. */
export class BackupConnection {
  readonly #socket: Socket;
  #refusal: string | undefined;
  #pending: { resolve: (reply: BackupReply) => void; reject: (error: Error) => void } | undefined;
  #isOpen = true;

  /** Undefined if no server listens. */
  static open(dataDir: string): Promise<BackupConnection | undefined> {
    return withSocketPath(
      dataDir,
      CONTROL_SOCKET,
      (path) =>
        new Promise((resolve) => {
          const socket = connect(path);
          socket.once('connect', () => resolve(new BackupConnection(socket)));
          socket.once('error', () => resolve(undefined));
        }),
    );
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    onMessage<BackupReply>(socket, (reply) => {
      if (reply.type === 'failed') this.#refusal = reply.message;
      this.#pending?.resolve(reply);
    });
    socket.on('close', () => {
      this.#isOpen = false;
      this.#pending?.reject(this.#ended());
    });
  }

  async hold(): Promise<HeldFiles> {
    const reply = await this.#request({ type: 'hold' });
    if (reply.type === 'held') return reply;
    throw new Error('The running server has another version; use its own command line.');
  }

  async releaseJournal(): Promise<void> {
    await this.#request({ type: 'journal-copied' });
  }

  /** Throws if the server has stopped, because it may have changed its files since. */
  assertOpen(): void {
    if (!this.#isOpen || this.#refusal !== undefined) throw this.#ended();
  }

  #ended(): Error {
    return new Error(this.#refusal ?? 'The server stopped during the backup. Try again.');
  }

  close(): void {
    this.#socket.destroy();
  }

  async #request(request: BackupRequest): Promise<BackupReply> {
    this.assertOpen();
    sendMessage(this.#socket, request);
    const reply = await new Promise<BackupReply>((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
    if (reply.type === 'failed') throw new Error(reply.message);
    return reply;
  }
}
