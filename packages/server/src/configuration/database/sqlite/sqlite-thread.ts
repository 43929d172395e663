import { parentPort } from 'node:worker_threads';
import { byMethod, RemoteCalls } from '../../../platform/calls/remote-calls.ts';
import { SqliteFile } from './sqlite-file.ts';
import type { SqliteListener, SqliteMethods } from './sqlite-methods.ts';

// Worker side of `ThreadedSqlite`: waits for the disk and for locks of other processes.

const port = parentPort!;
let file: SqliteFile;

const answer = byMethod<SqliteMethods>({
  open: async ([path, options]) => {
    file = await SqliteFile.open(path, options);
  },
  execute: (statement) => file.execute(...statement),
  watch: () => {
    file.watch(() => calls.notify('changed', []));
  },
  close: async () => {
    await file.close();
    // After the result.
    setImmediate(() => port.close());
  },
});
const calls = new RemoteCalls<SqliteListener>((message) => port.postMessage(message), answer);

port.on('message', (message) => calls.receive(message));
