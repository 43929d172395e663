/** How long the end of the process is put off for what still has to be sent. */
const EXIT_DEADLINE_MS = 3000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

interface ExitState {
  /** What to do before the process ends; each is given a time limit. */
  holders: Set<(timeoutMs: number) => Promise<unknown>>;
  listening: boolean;
  ending: boolean;
  flushedBeforeExit: boolean;
}

// On the global object: the ES module and the CommonJS copy of this package must not take each other for the host.
const STATE = Symbol.for('@switchyard/sdk exit');
const shared = globalThis as { [STATE]?: ExitState };

function exitState(): ExitState {
  shared[STATE] ??= { holders: new Set(), listening: false, ending: false, flushedBeforeExit: false };
  return shared[STATE];
}

/**
 * Has `flush` run before the process ends by itself, by SIGTERM or by SIGINT, until the function that is returned is
 * called. The process ends as it would without: a signal that nobody else listens to is raised again after the flush,
 * one that the host handles is left to the host.
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
  // First in line: a `once` listener of the host is gone by the time that later ones run, and would not be counted.
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
  const alone = process.listenerCount(signal) === 1;
  // At once, so that others who count listeners to decide whether to end the process do not count ours.
  unlisten(state);
  state.ending = alone;
  void flushAll(state).then(() => {
    if (alone) process.kill(process.pid, signal);
  });
}

function onBeforeExit(): void {
  const state = exitState();
  // The event comes again when our requests are done: what could not be sent must not hold the process for ever.
  if (state.flushedBeforeExit) return;
  state.flushedBeforeExit = true;
  void flushAll(state);
}

async function flushAll({ holders }: ExitState): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, EXIT_DEADLINE_MS);
  });
  const flushed = Promise.allSettled([...holders].map((flush) => flush(EXIT_DEADLINE_MS)));
  await Promise.race([flushed, late]);
  clearTimeout(timer);
}
