import { ApiError } from '../errors.ts';

/** Functions that another process can call; arguments and results are copied. */
type Methods<M> = { [Name in keyof M]: (...args: never[]) => unknown };

/** The functions with the signal that tells that the caller is gone or no longer interested. */
export type Handlers<M extends Methods<M>> = {
  [Name in keyof M]: (
    ...args: [...Parameters<M[Name]>, AbortSignal]
  ) => ReturnType<M[Name]> | Promise<ReturnType<M[Name]>>;
};

interface CopiedError {
  message: string;
  name: string;
  stack?: string | undefined;
  code?: string | undefined;
  headers?: Record<string, string> | undefined;
}

type Message =
  | { type: 'call'; id: number; method: string; args: unknown[] }
  | { type: 'cancel'; id: number }
  | { type: 'result'; id: number; value?: unknown; error?: CopiedError };

interface PendingCall {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** Calls between two processes, in both directions, over the messages that they exchange. */
export class ProcessCalls<Local extends Methods<Local>, Remote extends Methods<Remote>> {
  readonly #send: (message: object) => void;
  readonly #handlers: Handlers<Local>;
  readonly #pending = new Map<number, PendingCall>();
  readonly #running = new Map<number, AbortController>();
  #nextId = 1;
  #failure: Error | undefined;

  constructor(send: (message: object) => void, handlers: Handlers<Local>) {
    this.#send = send;
    this.#handlers = handlers;
  }

  call<Name extends keyof Remote & string>(
    method: Name,
    args: Parameters<Remote[Name]>,
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const cancel = () => this.#post({ type: 'cancel', id });
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener('abort', cancel);
          then(value);
        };
      this.#pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#post({ type: 'call', id, method, args });
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** A call whose outcome does not matter. */
  notify<Name extends keyof Remote & string>(method: Name, args: Parameters<Remote[Name]>): void {
    this.call(method, args).catch(() => undefined);
  }

  receive(received: unknown): void {
    const message = received as Message;
    if (message.type === 'call') void this.#run(message);
    else if (message.type === 'cancel') this.#running.get(message.id)?.abort();
    else if (message.type === 'result') this.#settle(message);
  }

  /** The other process is gone. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    for (const controller of this.#running.values()) controller.abort();
  }

  async #run({ id, method, args }: Message & { type: 'call' }): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const handle = this.#handlers[method as keyof Local] as (...args: unknown[]) => unknown;
      const value = await handle(...args, controller.signal);
      this.#post({ type: 'result', id, value });
    } catch (error) {
      this.#post({ type: 'result', id, error: copyError(error as Error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #settle({ id, value, error }: Message & { type: 'result' }): void {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) call?.resolve(value as never);
    else call?.reject(restoreError(error));
  }

  #post(message: Message): void {
    if (this.#failure === undefined) this.#send(message);
  }
}

function copyError(error: Error): CopiedError {
  const { message, name, stack, code } = error as Error & { code?: string };
  return {
    ...{ message, name, stack, code },
    ...(error instanceof ApiError && { headers: error.headers }),
  };
}

function restoreError({ name, message, stack, code, headers }: CopiedError): Error {
  if (name === 'ApiError')
    return new ApiError(code as ApiError['code'], { message, ...(headers && { headers }) });
  return Object.assign(new Error(message), { stack, ...(code !== undefined && { code }) });
}
