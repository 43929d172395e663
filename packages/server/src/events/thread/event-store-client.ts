import type { MessagePort } from 'node:worker_threads';
import { isCookieless } from '@switchyard/core/cleaning/cookieless';
import { type CallMessage, RemoteCalls } from '../../platform/calls/remote-calls.ts';
import { remoteMethods } from '../../platform/calls/remote-methods.ts';
import type { TraceParent } from '../../platform/tracing/tracer.ts';
import type { EventQueries, EventStore } from '../store/event-store.ts';
import type { StorageMethods, StoreMethod } from './storage-messages.ts';

/** The methods of the event store that other threads can call. */
export type EventStoreClient = Pick<EventStore, StoreMethod>;

/** The span that a call belongs to, if its request is traced. */
type CurrentTrace = () => TraceParent | undefined;

/** Queries on a connection of their own: when its port is closed, they are cancelled and reject. */
export function connectEventStore(port: MessagePort, currentTrace?: CurrentTrace): EventQueries {
  const calls = new RemoteCalls<StorageMethods>((message) => port.postMessage(message));
  port.on('message', (message: CallMessage) => calls.receive(message));
  port.on('close', () => calls.fail(new Error('the connection to the event store was closed')));
  return eventStoreClient(calls, currentTrace);
}

export function eventStoreClient(
  calls: RemoteCalls<StorageMethods>,
  currentTrace: CurrentTrace = () => undefined,
): EventStoreClient {
  const store = remoteMethods<EventStoreClient>((method, args, signal) =>
    calls.call(method, args as never, { signal, trace: currentTrace() }),
  );
  const { session } = store;
  // Counted, but not listed.
  store.session = async (query) => (isCookieless(query.sessionId) ? undefined : session(query));
  return store;
}
