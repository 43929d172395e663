import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration } from './configuration.ts';
import { writeSnapshot } from './configuration-snapshot.ts';

/** Time between two files: while an import makes many changes, only some of them are written. */
const PAUSE_MS = 200;

export interface SnapshotWriterOptions {
  dataDir: string;
  configuration: Pick<Configuration, 'properties' | 'onChange'>;
  /** A snapshot that cannot be written must not stop the node. */
  onError: (error: unknown) => void;
}

/** Writes a snapshot now and after each change; returns a function that writes the last one and stops. */
export function keepSnapshot({
  dataDir,
  configuration,
  onError,
}: SnapshotWriterOptions): () => Promise<void> {
  const stopping = new AbortController();
  let isCurrent = false;
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    while (!isCurrent) {
      isCurrent = true;
      await writeSnapshot(dataDir, configuration.properties()).catch(onError);
      // Ends early when the node stops.
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
    writing = undefined;
  };
  const write = () => {
    isCurrent = false;
    writing ??= writeAll();
  };
  const unsubscribe = configuration.onChange(write);
  write();
  return async () => {
    unsubscribe();
    stopping.abort();
    await writing;
  };
}
