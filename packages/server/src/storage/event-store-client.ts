import type { MessagePort } from 'node:worker_threads';
import type { EventStore } from './event-store.ts';
import type { HoldMethod, StorageReply, StorageRequest, StoreMethod } from './storage-messages.ts';

/** The methods of the event store that other threads can call. */
export type EventStoreClient = Pick<EventStore, StoreMethod>;

interface PendingCall {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** Calls to the event store in the storage thread, matched with their results by id. */
export class StoreCalls {
  readonly #post: (request: StorageRequest & { type: 'call' }) => void;
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 1;

  constructor(post: (request: StorageRequest & { type: 'call' }) => void) {
    this.#post = post;
  }

  call(method: StoreMethod | HoldMethod, args: unknown[]): Promise<never> {
    const id = this.#nextId++;
    return new Promise<never>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ type: 'call', id, method, args });
    });
  }

  settle({ id, value, error }: StorageReply & { type: 'result' }): void {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) call?.resolve(value as never);
    else call?.reject(Object.assign(new Error(error.message), error));
  }

  fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }
}

/** The queries that run for the report thread, and end with it. */
export type ReportQueries = Pick<
  EventStoreClient,
  | 'splitTestCounts'
  | 'splitTestSeries'
  | 'splitTestFeedback'
  | 'goalBaseline'
  | 'assignmentCounts'
  | 'sessionContexts'
  | 'knownSessions'
  | 'trafficCounts'
  | 'trafficBreakdown'
  | 'liveVisitors'
  | 'receivedTimes'
>;

/** Connects to the event store through a port from `EventLog.openPort`. */
export function connectEventStore(port: MessagePort): ReportQueries {
  const calls = new StoreCalls((request) => port.postMessage(request));
  port.on('message', (reply: StorageReply & { type: 'result' }) => calls.settle(reply));
  return eventStoreClient((method, args) => calls.call(method, args));
}

export function eventStoreClient(
  call: (method: StoreMethod, args: unknown[]) => Promise<never>,
): EventStoreClient {
  const forward =
    (method: StoreMethod) =>
    (...args: unknown[]) =>
      call(method, args);
  return {
    watermark: forward('watermark'),
    sessionPage: forward('sessionPage'),
    session: forward('session'),
    sessionIdentity: forward('sessionIdentity'),
    goalTotals: forward('goalTotals'),
    goalSeries: forward('goalSeries'),
    conversionPage: forward('conversionPage'),
    feedbackPage: forward('feedbackPage'),
    feedbackCount: forward('feedbackCount'),
    feedbackSummary: forward('feedbackSummary'),
    feedbackTimes: forward('feedbackTimes'),
    newFeedback: forward('newFeedback'),
    splitTestCounts: forward('splitTestCounts'),
    splitTestSeries: forward('splitTestSeries'),
    splitTestFeedback: forward('splitTestFeedback'),
    goalBaseline: forward('goalBaseline'),
    assignmentCounts: forward('assignmentCounts'),
    sessionContexts: forward('sessionContexts'),
    knownSessions: forward('knownSessions'),
    trafficCounts: forward('trafficCounts'),
    trafficBreakdown: forward('trafficBreakdown'),
    liveVisitors: forward('liveVisitors'),
    receivedTimes: forward('receivedTimes'),
    forget: forward('forget'),
    expire: forward('expire'),
    ping: forward('ping'),
  };
}
