import type { Methods } from './remote-calls.ts';
import { takeSignal } from './take-signal.ts';

type CallMethod<M> = (
  method: keyof M & string,
  args: unknown[],
  signal: AbortSignal | undefined,
) => Promise<unknown>;

/** An object with all methods of the other side; a signal after the arguments cancels the call. */
export function remoteMethods<M extends Methods<M>>(call: CallMethod<M>): M {
  const methods: Record<string, unknown> = {};
  return new Proxy(methods, {
    get: (_, name) => {
      // Whatever is awaited is asked for `then`.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      methods[name] ??= (...args: unknown[]) => {
        const signal = takeSignal(args);
        return call(name as keyof M & string, args, signal);
      };
      return methods[name];
    },
  }) as M;
}
