/** JSON values under keys; what cannot be kept is forgotten with the page. */
export interface Store {
  // biome-ignore lint/suspicious/noExplicitAny: whoever reads checks what it is, for anybody may have written it
  get(key: string): any;
  /** `undefined` removes. */
  set(key: string, value: unknown): void;
  /** Keys that begin with the prefix. */
  keys(prefix: string): string[];
}

/** The surroundings of a client: handed over, so that the same code runs in a page and in a simulation. */
export interface Host {
  fetch(url: string, init: RequestInit): Promise<Response>;
  now(): number;
  random(): number;
  later(run: () => void, milliseconds: number): void;
  store: Store;
  /** All cookies, as `document.cookie` reads. */
  cookies(): string | undefined;
  setCookie(name: string, value: string, seconds: number): void;
  /** Who shares the cookies, when it is not this host alone. */
  cookieDomain?: string | undefined;
  /** The query of the page's address. */
  search: string;
}
