import { ApiError } from '../../platform/errors/errors.ts';
import type { Config } from '../../platform/settings/config.ts';
import { connectionLimits } from './connection-limits.ts';

/** The rest of the connections is for requests. */
const MAX_SHARE_OF_CONNECTIONS = 3 / 4;
const RETRY_AFTER_SECONDS = '10';

/** Counts the open streams, of each owner and of all. */
export class StreamLimits {
  readonly #max: number;
  readonly #maxPerOwner: number;
  readonly #owners = new Map<string, number>();
  #size = 0;

  constructor({ workers, streamsMax, streamsMaxPerKey }: Config) {
    const connections = connectionLimits(workers).maxConnections;
    this.#max = Math.min(Math.ceil(streamsMax / workers), Math.floor(connections * MAX_SHARE_OF_CONNECTIONS));
    this.#maxPerOwner = Math.ceil(streamsMaxPerKey / workers);
  }

  /** @param owner id of an API key or an account */
  add(owner: string): void {
    const others = this.#owners.get(owner) ?? 0;
    if (others >= this.#maxPerOwner) throw tooMany('This key or account has too many open streams.');
    if (this.#size >= this.#max) throw tooMany('The server has too many open streams.');
    this.#owners.set(owner, others + 1);
    this.#size += 1;
  }

  remove(owner: string): void {
    const others = this.#owners.get(owner)! - 1;
    if (others > 0) this.#owners.set(owner, others);
    else this.#owners.delete(owner);
    this.#size -= 1;
  }
}

const tooMany = (reason: string) =>
  new ApiError('too_many_streams', {
    message: `${reason} Close some, or try again after the time in \`Retry-After\`.`,
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
