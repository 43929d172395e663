import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { lastingThread } from '../../platform/threads/start-thread.ts';
import type { StorageChannel, StorageListener } from './storage-channel.ts';
import type { ClientRole, StorageReply, StorageRequest, ThreadOptions } from './storage-messages.ts';

/** Starts the storage thread in this process. */
export class ThreadChannel implements StorageChannel {
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  #listener: StorageListener | undefined;
  #failed = false;
  #onClosed: (() => void) | undefined;

  constructor(options: ThreadOptions) {
    this.#worker = lastingThread('storage-thread');
    this.#worker.postMessage(options);
    this.#worker.on('message', (reply: StorageReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        if (this.#onClosed === undefined)
          this.#fail(new Error(`the storage thread exited with code ${code}`));
        resolve();
      });
    });
  }

  listen(listener: StorageListener): void {
    this.#listener = listener;
  }

  post(request: StorageRequest): void {
    this.#worker.postMessage(request);
  }

  connectThread(): MessagePort {
    return this.openPort('queries');
  }

  /** Connects another client to the storage thread. */
  openPort(role: ClientRole): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ type: 'connect', port: port1, role } satisfies StorageRequest, [port1]);
    return port2;
  }

  async close(): Promise<void> {
    if (this.#failed) return;
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.post({ type: 'close' });
    });
  }

  #receive(reply: StorageReply): void {
    if (reply.type === 'closed') this.#onClosed?.();
    else if (reply.type === 'failed')
      this.#fail(Object.assign(new Error(reply.message), { code: reply.code }));
    else this.#listener?.receive(reply);
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#listener?.fail(error);
    this.#onClosed?.();
  }
}
