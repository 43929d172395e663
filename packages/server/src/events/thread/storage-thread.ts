import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type CallMessage, RemoteCalls } from '../../platform/calls/remote-calls.ts';
import { measureWork, type TraceParent } from '../../platform/tracing/tracer.ts';
import { GroupedCommits } from '../intake/grouped-commits.ts';
import type { Journal, WriteOutcome } from '../intake/journal/journal.ts';
import { callStorage } from './call-storage.ts';
import { abandonStorage, closeStorage, type OpenStorage, openStorage, statusOf } from './open-storage.ts';
import { watchRemoteChanges } from './remote-changes.ts';
import { scrubJournalDaily } from './scrub-journal.ts';
import type { MessageSocket } from './socket/message-socket.ts';
import { listenForWorkers } from './socket/storage-socket.ts';
import type {
  AnnouncedWrite,
  ClientRole,
  StorageMethods,
  StorageReply,
  StorageRequest,
  ThreadOptions,
} from './storage-messages.ts';
import { verifyDaily } from './verify-daily.ts';

// All disk I/O for events runs on this thread, so that it never blocks the thread that serves requests.

const HOUSEKEEPING_MS = 1000;
/** Pause after each housekeeping step, so that commits come first; longer after slow steps. */
const STEP_PAUSE_MS = 10;
const STEP_PAUSE_FACTOR = 4;
const STATUS_MS = 1000;

type Send = (reply: StorageReply) => void;

type CommitHandler = (request: RequestOf<'commit'>, reply: Send) => void;

type Committed = (outcomes: WriteOutcome[]) => void;

type RequestOf<Type extends StorageRequest['type']> = StorageRequest & { type: Type };

const port = parentPort!;
const send: Send = (reply) => port.postMessage(reply);
const log = (level: 'info' | 'warn' | 'error', message: string) => send({ type: 'log', level, message });

/** Those that are told the status. */
const clients = new Set<Send>([send]);
/** Other processes of this server. */
const workers = new Set<Send>();

function sendStatus(storage: OpenStorage): void {
  const reply: StorageReply = { type: 'status', status: statusOf(storage) };
  for (const client of clients) client(reply);
}

function commit(
  storage: OpenStorage,
  writes: readonly AnnouncedWrite[],
  trace: TraceParent | undefined,
  reply: Committed,
): void {
  const { outcomes, stored } = storage.journal.commit(writes, Date.now());
  storage.changes += stored.length;
  if (workers.size > 0) announceCollected(writes, outcomes);
  reply(outcomes);
  if (trace !== undefined && stored.length > 0) storage.loadTracing.committed(stored[0]!.seq, trace);
  storage.loader.offer(stored);
}

/** Before the commit is acknowledged: messages arrive in order, so `sync` of a worker then waits for this one too. */
function announceCollected(writes: readonly AnnouncedWrite[], outcomes: readonly WriteOutcome[]): void {
  const identities = writes.flatMap(({ collected }, i) =>
    collected !== undefined && outcomes[i] === 'stored' ? [collected] : [],
  );
  if (identities.length === 0) return;
  for (const worker of workers) worker({ type: 'collected', identities });
}

function sendCommitted(storage: OpenStorage, reply: Send, outcomes: WriteOutcome[]): void {
  const allStored = outcomes.every((outcome) => outcome === 'stored');
  reply({ type: 'committed', ...(allStored ? {} : { outcomes }), status: statusOf(storage) });
}

async function maintainMarks(journal: Journal, signal: AbortSignal): Promise<void> {
  let failure: string | undefined;
  while (!signal.aborted) {
    const startedAt = performance.now();
    let hasMore = false;
    try {
      hasMore = journal.maintainMarks(Date.now());
      failure = undefined;
    } catch (error) {
      // The keys stay in journal.db, so that nothing is lost while the disk is full.
      if (failure !== text(error))
        log('error', `Writing idempotency keys to marks.db failed: ${text(error)}`);
      failure = text(error);
    }
    const pause = Math.max(STEP_PAUSE_MS, STEP_PAUSE_FACTOR * (performance.now() - startedAt));
    await sleep(hasMore ? pause : HOUSEKEEPING_MS, undefined, { signal });
  }
}

async function close(storage: OpenStorage): Promise<void> {
  const failure = await closeStorage(storage);
  if (failure === undefined) return;
  log(
    'warn',
    `Some events could not be loaded and stay in the journal until the next start: ${text(failure)}`,
  );
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));

const isFatal = (code: unknown) =>
  code === 'STORE_CLOSED' || code === 'STORE_BEHIND' || code === 'JOURNAL_BEHIND';

const codeOf = (error: unknown) => (error as { code?: unknown }).code;

function describeError(error: unknown): { message: string; code?: string } {
  const code = codeOf(error);
  return { message: text(error), ...(typeof code === 'string' ? { code } : {}) };
}

function fail(error: unknown): void {
  send({ type: 'failed', ...describeError(error) });
}

/** Stops loading: new events stay in the journal, because the restored file will not contain them. */
function reportDamage(storage: OpenStorage, damage: string): void {
  if (storage.damage === damage) return;
  storage.damage = damage;
  void storage.loader.stop();
  sendStatus(storage);
  log(
    'error',
    `${damage}. Queries now fail with status 503; new events are kept in journal.db until it is full. ` +
      'Stop the server, copy the data directory, restore events.duckdb from the last backup, ' +
      'and start once with "serve --accept-loss". Run "switchyard doctor" to check the files.',
  );
}

async function main(): Promise<void> {
  let ending = false;
  const giveUp = (error: unknown) => {
    ending = true;
    fail(error);
    end(abandonStorage(storage));
  };
  const onStoreError = (error: unknown) => {
    // A store that closed itself cannot be reopened in this process; the next start replays the journal. A remote
    // store that lost events is noticed only after the start.
    const code = codeOf(error);
    if (isFatal(code) && !ending) giveUp(error);
    if (code === 'STORE_DAMAGED') reportDamage(storage, text(error));
  };
  const [options] = (await once(port, 'message')) as [ThreadOptions];
  const storage = await openStorage({
    ...options,
    log,
    onLoadError: (error, isRepeated) => {
      // A remote store may be unavailable for hours.
      if (!isRepeated || !storage.isShared) {
        log('error', `Writing a batch to the event store failed; it stays in the journal: ${text(error)}`);
      }
      onStoreError(error);
    },
    onTraced: (work) => send({ type: 'traced', work }),
  });
  const commitOrGiveUp = (
    writes: readonly AnnouncedWrite[],
    trace: TraceParent | undefined,
    reply: Committed,
  ) => {
    if (ending) return;
    try {
      commit(storage, writes, trace, reply);
    } catch (error) {
      giveUp(error);
    }
  };
  const handlers = {
    commit({ writes, trace }: RequestOf<'commit'>, reply: Send) {
      commitOrGiveUp(writes, trace, (outcomes) => sendCommitted(storage, reply, outcomes));
    },
    connect({ port: client, role }: RequestOf<'connect'>) {
      connect(client, role, handlers.commit);
    },
    verify() {
      void verifyDaily(storage.store, onStoreError, background.signal);
    },
    close() {
      ending = true;
      end(close(storage).then(() => send({ type: 'closed' }), fail));
    },
  };
  const callsOf = (reply: Send) =>
    new RemoteCalls(reply, async (name, args, call) => {
      const method = name as keyof StorageMethods;
      if (method === 'sync') return reply({ type: 'status', status: statusOf(storage) });
      const { changes } = storage;
      const calling = callStorage(storage, method, args, call);
      if (call.trace !== undefined) void traceQuery(method, call.trace, calling);
      try {
        return await calling;
      } catch (error) {
        // After the result.
        setImmediate(onStoreError, error);
        throw error;
      } finally {
        // Before the result: whoever waits for an erasure must not get a report from before it.
        if (isErasure(method)) {
          if (storage.changes !== changes) sendStatus(storage);
          for (const worker of workers) worker({ type: 'erased' });
        }
      }
    });
  const connect = (client: MessagePort | MessageSocket, role: ClientRole, onCommit: CommitHandler) => {
    const reply: Send = (message) => client.postMessage(message);
    const calls = callsOf(reply);
    client.on('message', (request: RequestOf<'commit'> | CallMessage) => {
      if (request.type === 'commit') onCommit(request, reply);
      else calls.receive(request);
    });
    client.on('close', () => {
      calls.fail(new Error('the client has disconnected'));
      clients.delete(reply);
      workers.delete(reply);
    });
    // A referenced port would keep this thread alive.
    client.unref();
    if (role === 'queries') return;
    clients.add(reply);
    if (role === 'worker') workers.add(reply);
    reply({ type: 'ready', status: statusOf(storage) });
  };
  const commits = new GroupedCommits({
    commit: (writes, reply) => commitOrGiveUp(writes, undefined, reply),
    room: () => options.maxBytes - storage.journal.bytes,
  });
  const acceptWorker = (client: MessageSocket) =>
    connect(client, 'worker', ({ writes }, reply) =>
      commits.add(writes, {
        committed: (outcomes) => sendCommitted(storage, reply, outcomes),
        refused: () => reply({ type: 'refused', status: statusOf(storage) }),
      }),
    );
  let stopListening = () => {};
  const end = (closing: Promise<unknown>) => {
    background.abort();
    stopListening();
    clearInterval(reporting);
    void closing.finally(() => port.close());
  };
  const background = new AbortController();
  maintainMarks(storage.journal, background.signal).catch(() => {
    // Only the end of the thread interrupts it.
  });
  void scrubJournalDaily(
    storage,
    (message) => log('error', `Overwriting remains of stored events in the journal failed: ${message}`),
    background.signal,
  );
  if (storage.isShared) {
    void watchRemoteChanges(
      {
        store: storage.store,
        ownSource: storage.journal.source,
        onChange: (sessions) => {
          storage.changes++;
          sendStatus(storage);
          for (const client of clients) client({ type: 'sessionsChanged', sessions });
        },
        onOwnPosition: (position) => {
          try {
            storage.loader.assertUnique(position);
          } catch (error) {
            if (!ending) giveUp(error);
          }
        },
      },
      background.signal,
    );
  }
  const reporting = setInterval(() => sendStatus(storage), STATUS_MS);
  const calls = callsOf(send);
  port.on('message', (request: StorageRequest) => {
    const { type } = request;
    if (type in handlers) handlers[type as keyof typeof handlers](request as never, send);
    else calls.receive(request as CallMessage);
  });
  if (options.workers) stopListening = await listenForWorkers(options.dataDir, acceptWorker);
  send({ type: 'ready', status: statusOf(storage) });
}

async function traceQuery(method: string, trace: TraceParent, calling: Promise<unknown>): Promise<void> {
  const attributes = { 'switchyard.query': method };
  const finish = measureWork({ name: `query ${method}`, causes: [trace], attributes });
  const work = await calling.then(() => finish(), finish);
  send({ type: 'traced', work });
}

const isErasure = (method: string) => method === 'forget' || method === 'expire';

main().catch((error) => {
  fail(error);
  port.close();
});
