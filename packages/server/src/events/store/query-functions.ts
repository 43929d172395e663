import { takeSignal } from '../../platform/calls/take-signal.ts';
import type { EventQueries } from './event-store.ts';

/** A function for each question, with which an engine answers it. The signal that cancels it is in the context. */
export type QueryFunctions<Context> = {
  [Name in keyof EventQueries]: (
    context: Context,
    ...question: Parameters<EventQueries[Name]>
  ) => ReturnType<EventQueries[Name]>;
};

type Query<Context> = (context: Context) => Promise<unknown>;

/** Methods of a store that answer questions with these functions; `run` provides the context. */
export function queryMethods<Context, Name extends keyof EventQueries>(
  functions: Pick<QueryFunctions<Context>, Name>,
  run: (query: Query<Context>, signal: AbortSignal | undefined) => Promise<unknown>,
): Pick<EventQueries, Name> {
  const methods = Object.entries<(context: Context, ...question: never[]) => Promise<unknown>>(functions).map(
    ([name, query]) => [
      name,
      (...question: never[]) => {
        const signal = takeSignal(question);
        return run((context) => query(context, ...question), signal);
      },
    ],
  );
  return Object.fromEntries(methods);
}
