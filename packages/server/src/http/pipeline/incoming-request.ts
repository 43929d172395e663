import { IncomingMessage } from 'node:http';
import { requestIdOf } from './request-id.ts';

/** A request as our server creates it: knows when it arrived, and can collect its body. */
export class IncomingRequest extends IncomingMessage {
  readonly startedAt = performance.now();
  #id: string | undefined = undefined;
  #receive: ((body: Buffer) => void) | undefined = undefined;
  #body: Buffer | undefined = undefined;

  /** The same in both lanes: a request that fails in the fast lane is answered by the other one. */
  get id(): string {
    this.#id ??= requestIdOf(this);
    return this.#id;
  }

  /** Since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /**
   * Calls back once with the whole body, which must not be empty. Read as a stream, it makes a goal increment 6 %
   * more expensive (`node bench/compare.js`).
   */
  onBody(receive: (body: Buffer) => void): void {
    const hasStarted = this.complete || this.readableLength > 0;
    if (hasStarted) this.#readBody(receive);
    else this.#receive = receive;
  }

  #readBody(receive: (body: Buffer) => void): void {
    const parts: Buffer[] = [];
    this.on('data', (part: Buffer) => parts.push(part));
    this.on('end', () => receive(Buffer.concat(parts)));
  }

  /** Node.js passes each part of the body to this method, and null at the end. */
  override push(part: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#receive === undefined) return super.push(part, encoding);
    if (part !== null) {
      // Almost always a single part.
      this.#body = this.#body === undefined ? part : Buffer.concat([this.#body, part]);
      return true;
    }
    super.push(null);
    this.#receive(this.#body!);
    return false;
  }
}
