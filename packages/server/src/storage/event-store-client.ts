import { isCookieless } from '@switchyard/core/cleaning/cookieless';
import type { EventStore, SessionDetail } from './event-store.ts';
import type { ThreadConnection } from './storage-channel.ts';
import type { HoldMethod, StorageReply, StorageRequest, StoreMethod } from './storage-messages.ts';
import type { TraceParent } from './tracer.ts';

/** The methods of the event store that other threads can call. */
export type EventStoreClient = Pick<EventStore, StoreMethod>;

interface PendingCall {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** The span that a call belongs to, if its request is traced. */
type CurrentTrace = () => TraceParent | undefined;

/** Calls to the event store in the storage thread, matched with their results by id. */
export class StoreCalls {
  readonly #post: (request: StorageRequest & { type: 'call' | 'sync' }) => void;
  readonly #currentTrace: CurrentTrace;
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 1;

  constructor(
    post: (request: StorageRequest & { type: 'call' | 'sync' }) => void,
    currentTrace: CurrentTrace = () => undefined,
  ) {
    this.#post = post;
    this.#currentTrace = currentTrace;
  }

  call(method: StoreMethod | HoldMethod, args: unknown[]): Promise<never> {
    const id = this.#nextId++;
    const trace = this.#currentTrace();
    return new Promise<never>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ type: 'call', id, method, args, ...(trace !== undefined && { trace }) });
    });
  }

  /** Resolves when everything that was sent before has been handled. */
  sync(): Promise<void> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ type: 'sync', id });
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

/** The queries that can run on a connection of their own, and end with it. */
export type ReportQueries = Pick<
  EventStoreClient,
  | 'splitTestCounts'
  | 'countAhead'
  | 'splitTestSeries'
  | 'splitTestEntry'
  | 'splitTestFeedback'
  | 'goalBaseline'
  | 'assignmentCounts'
  | 'sessionContexts'
  | 'knownSessions'
  | 'trafficCounts'
  | 'trafficBreakdown'
  | 'liveVisitors'
  | 'receivedTimes'
  | 'subjectContents'
>;

/** Queries on a connection of their own: when its port is closed, they are cancelled and reject. */
export function connectEventStore({ port }: ThreadConnection, currentTrace?: CurrentTrace): ReportQueries {
  const calls = new StoreCalls((request) => port.postMessage(request), currentTrace);
  port.on('message', (reply: StorageReply) => {
    if (reply.type === 'result') calls.settle(reply);
  });
  port.on('close', () => calls.fail(new Error('the connection to the event store was closed')));
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
    positions: forward('positions'),
    sessionPage: forward('sessionPage'),
    // Counted, but not listed.
    session: async (query) =>
      isCookieless(query.sessionId)
        ? undefined
        : ((await call('session', [query])) as SessionDetail | undefined),
    sessionIdentity: forward('sessionIdentity'),
    goalTotals: forward('goalTotals'),
    goalSeries: forward('goalSeries'),
    conversionPage: forward('conversionPage'),
    feedbackPage: forward('feedbackPage'),
    feedbackCount: forward('feedbackCount'),
    feedbackSummary: forward('feedbackSummary'),
    eventCount: forward('eventCount'),
    feedbackTimes: forward('feedbackTimes'),
    newFeedback: forward('newFeedback'),
    splitTestCounts: forward('splitTestCounts'),
    countAhead: forward('countAhead'),
    splitTestSeries: forward('splitTestSeries'),
    splitTestEntry: forward('splitTestEntry'),
    splitTestFeedback: forward('splitTestFeedback'),
    goalBaseline: forward('goalBaseline'),
    assignmentCounts: forward('assignmentCounts'),
    sessionContexts: forward('sessionContexts'),
    knownSessions: forward('knownSessions'),
    trafficCounts: forward('trafficCounts'),
    trafficBreakdown: forward('trafficBreakdown'),
    liveVisitors: forward('liveVisitors'),
    receivedTimes: forward('receivedTimes'),
    collectedSessions: forward('collectedSessions'),
    exportEntries: forward('exportEntries'),
    checksums: forward('checksums'),
    subjectContents: forward('subjectContents'),
    subjectSessions: forward('subjectSessions'),
    subjectVisitors: forward('subjectVisitors'),
    forget: forward('forget'),
    expire: forward('expire'),
    removeRemains: forward('removeRemains'),
    setRetention: forward('setRetention'),
    ping: forward('ping'),
  };
}
