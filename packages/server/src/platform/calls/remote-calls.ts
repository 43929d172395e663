import type { Transferable } from 'node:worker_threads';
import type { TraceParent } from '../tracing/tracer.ts';
import { type CopiedError, copyError, restoreError } from './copied-error.ts';

/** Methods that another thread or process can call; arguments and results are copied. */
export type Methods<M> = { [Name in keyof M]: (...args: never[]) => unknown };

export type CallMessage =
  | {
      type: 'call';
      /** Undefined: nobody waits for the result. */
      id?: number;
      method: string;
      args: readonly unknown[];
      /** `cancel` may follow. */
      cancellable?: true;
      trace?: TraceParent;
    }
  /** The caller is no longer interested in the result. */
  | { type: 'cancel'; id: number }
  | ({ type: 'result'; id: number } & Outcome);

interface Outcome {
  value?: unknown;
  error?: CopiedError;
}

/** Sends a message to the other side, in order; only ports of threads can transfer. */
export type SendCall = (message: CallMessage, transferred?: readonly Transferable[]) => void;

/** Answers the calls of the other side; see `byMethod`. */
export type Answer = (method: string, args: readonly unknown[], call: Call) => unknown;

/** A function for each method. */
export type Handlers<M extends Methods<M>> = {
  [Name in keyof M]: (
    args: Readonly<Parameters<M[Name]>>,
    call: Call,
  ) => ReturnType<M[Name]> | Promise<Awaited<ReturnType<M[Name]>>>;
};

/** A call that is being answered. */
export interface Call {
  /** Aborted when the caller is gone or no longer interested; calls that cannot be cancelled share one. */
  readonly signal: AbortSignal;
  /** The span that it belongs to, if it is traced. */
  readonly trace: TraceParent | undefined;
  /** Parts of the result that move to the caller; the rest is copied. */
  transferred: readonly Transferable[] | undefined;
}

interface CallOptions {
  /** Asks the other side to end the call, which then has the outcome that it gets there. */
  signal?: AbortSignal | undefined;
  trace?: TraceParent | undefined;
}

interface PendingCall {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** Answers each call with the function of its name. */
export const byMethod =
  <Local extends Methods<Local>>(handlers: Handlers<Local>): Answer =>
  (method, args, call) => {
    const handle = handlers[method as keyof Local] as (args: readonly unknown[], call: Call) => unknown;
    return handle(args, call);
  };

const unexpected: Answer = (method) => {
  throw new Error(`nobody answers calls of ${method}`);
};

/**
 * Calls between two threads or processes, in both directions, over the messages that they exchange. Calls run
 * concurrently; their results are matched by id.
 */
export class RemoteCalls<Remote extends Methods<Remote>> {
  readonly #send: SendCall;
  readonly #answer: Answer;
  readonly #pending = new Map<number, PendingCall>();
  /** Calls of the other side that it can cancel. */
  readonly #cancellable = new Map<number, AbortController>();
  /** Aborted when the other side is gone. */
  readonly #gone = new AbortController();
  #nextId = 1;
  #failure: Error | undefined;

  constructor(send: SendCall, answer = unexpected) {
    this.#send = send;
    this.#answer = answer;
  }

  call<Name extends keyof Remote & string>(
    method: Name,
    args: Parameters<Remote[Name]>,
    { signal, trace }: CallOptions = {},
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const message: CallMessage = { type: 'call', id, method, args };
      if (signal !== undefined) message.cancellable = true;
      if (trace !== undefined) message.trace = trace;
      this.#send(message);
      const call = { resolve, reject };
      this.#pending.set(id, signal === undefined ? call : this.#endedBy(signal, id, call));
    });
  }

  /** A call whose outcome does not matter. */
  notify<Name extends keyof Remote & string>(method: Name, args: Parameters<Remote[Name]>): void {
    if (this.#failure === undefined) this.#send({ type: 'call', method, args });
  }

  /** Call it with the messages of the other side; ignores those that belong to no call. */
  receive(message: CallMessage): void {
    switch (message.type) {
      case 'call':
        void this.#run(message);
        break;
      case 'cancel':
        this.#cancellable.get(message.id)?.abort();
        break;
      case 'result':
        this.#settle(message);
        break;
    }
  }

  /** The other side is gone: rejects its calls and later ones, and aborts what runs for it. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    for (const controller of [...this.#cancellable.values(), this.#gone]) controller.abort();
  }

  #endedBy(signal: AbortSignal, id: number, { resolve, reject }: PendingCall): PendingCall {
    const cancel = () => {
      if (this.#failure === undefined) this.#send({ type: 'cancel', id });
    };
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    const settle =
      <T>(then: (value: T) => void) =>
      (value: T) => {
        signal.removeEventListener('abort', cancel);
        then(value);
      };
    return { resolve: settle(resolve), reject: settle(reject) };
  }

  async #run({ id, method, args, cancellable, trace }: CallMessage & { type: 'call' }): Promise<void> {
    const controller = cancellable ? new AbortController() : this.#gone;
    if (cancellable) this.#cancellable.set(id!, controller);
    const call: Call = { signal: controller.signal, trace, transferred: undefined };
    try {
      const value = await this.#answer(method, args, call);
      this.#reply(id, { value }, call.transferred);
    } catch (error) {
      this.#reply(id, { error: copyError(error) });
    }
    if (cancellable) this.#cancellable.delete(id!);
  }

  #reply(id: number | undefined, outcome: Outcome, transferred?: readonly Transferable[]): void {
    if (id === undefined || this.#failure !== undefined) return;
    this.#send({ type: 'result', id, ...outcome }, transferred);
  }

  #settle({ id, value, error }: CallMessage & { type: 'result' }): void {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) call?.resolve(value as never);
    else call?.reject(restoreError(error));
  }
}
