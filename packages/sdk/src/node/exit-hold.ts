/** Max delay of the exit for pending events. */
const EXIT_DEADLINE_MS = 3000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

interface ExitState {
  /** Flush functions to run before the process exits; each gets a timeout. */
  holders: Set<(timeoutMs: number) => Promise<unknown>>;
  listening: boolean;
  ending: boolean;
  flushedBeforeExit: boolean;
}

// Global, because the ES module and CommonJS copies of this package must not mistake each other's listeners for the host's.
const STATE = Symbol.for('@switchyard/sdk exit');
const shared = globalThis as { [STATE]?: ExitState };

function exitState(): ExitState {
  shared[STATE] ??= { holders: new Set(), listening: false, ending: false, flushedBeforeExit: false };
  return shared[STATE];
}

/**
 * Runs `flush` before the process exits: normally, by SIGTERM or by SIGINT. Returns a function that cancels this.
 * The process exits as it would without the SDK: a signal that nobody else handles is raised again after the flush,
 * and one that the host handles is left to the host.
 */
export function holdExit(flush: (timeoutMs: number) => Promise<unknown>): () => void {
  const state = exitState();
  state.holders.add(flush);
  state.flushedBeforeExit = false;
  listen(state);
  return () => {
    state.holders.delete(flush);
    if (state.holders.size === 0) unlisten(state);
  };
}

function listen(state: ExitState): void {
  if (state.listening || state.ending) return;
  state.listening = true;
  // Prepended, so that a `once` listener of the host is still registered, and counted, when ours runs.
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  process.on('beforeExit', onBeforeExit);
}

function unlisten(state: ExitState): void {
  if (!state.listening) return;
  state.listening = false;
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  process.removeListener('beforeExit', onBeforeExit);
}

function onSignal(signal: NodeJS.Signals): void {
  const state = exitState();
  const isOnlyListener = process.listenerCount(signal) === 1;
  // Before the flush, because other listeners may count listeners to decide whether to end the process.
  unlisten(state);
  state.ending = isOnlyListener;
  void flushAll(state).then(() => {
    if (isOnlyListener) process.kill(process.pid, signal);
  });
}

function onBeforeExit(): void {
  const state = exitState();
  // The event fires again after our requests: events that cannot be sent must not keep the process alive forever.
  if (state.flushedBeforeExit) return;
  state.flushedBeforeExit = true;
  void flushAll(state);
}

async function flushAll({ holders }: ExitState): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, EXIT_DEADLINE_MS);
  });
  const flushed = Promise.allSettled([...holders].map((flush) => flush(EXIT_DEADLINE_MS)));
  await Promise.race([flushed, timeout]);
  clearTimeout(timer);
}
