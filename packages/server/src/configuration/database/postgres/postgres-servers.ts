import { serverUrls } from '../../../platform/settings/server-urls.ts';

/** The servers of a DATABASE_URL, of which one accepts writes. New connections go to the one that did so last. */
export class PostgresServers {
  readonly #urls: readonly string[];
  #current = 0;

  constructor(url: string) {
    const urls = serverUrls(url);
    if (urls === undefined) throw new Error('not a URL of PostgreSQL');
    this.#urls = urls;
  }

  get count(): number {
    return this.#urls.length;
  }

  /** Its URL. */
  get current(): string {
    return this.#urls[this.#current]!;
  }

  /** A server cannot be used: the next one is to be tried, unless that was decided already. */
  leave(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.count;
  }
}
