import { IncomingMessage } from 'node:http';
import { requestIdOf } from './request-id.ts';

/** A request as our server creates it: knows its id and when it arrived. */
export class IncomingRequest extends IncomingMessage {
  readonly startedAt = performance.now();
  #id: string | undefined = undefined;

  /** The same in both lanes: a request that fails in the fast lane is answered by the other one. */
  get id(): string {
    this.#id ??= requestIdOf(this);
    return this.#id;
  }

  /** Since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Calls back once with the whole body. */
  onBody(receive: (body: Buffer) => void): void {
    const parts: Buffer[] = [];
    this.on('data', (part: Buffer) => parts.push(part));
    // Almost always a single part.
    this.on('end', () => receive(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
  }
}
