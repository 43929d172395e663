import { parentPort } from 'node:worker_threads';
import type { SqliteResult } from './sqlite-engine.ts';
import { SqliteFile } from './sqlite-file.ts';
import type { SqliteReply, SqliteRequest } from './sqlite-messages.ts';

// Worker side of `ThreadedSqlite`: waits for the disk and for locks of other processes.

const port = parentPort!;
const send = (reply: SqliteReply) => port.postMessage(reply);

let file: SqliteFile;

async function perform(request: SqliteRequest): Promise<SqliteResult | undefined> {
  switch (request.type) {
    case 'open':
      file = await SqliteFile.open(request.path, { acceptLoss: request.acceptLoss });
      return undefined;
    case 'execute':
      return file.execute(request.lane, request.sql, request.parameters);
    case 'watch':
      file.watch(() => send({ type: 'changed' }));
      return undefined;
    case 'close':
      await file.close();
      return undefined;
  }
}

async function handle(request: SqliteRequest): Promise<void> {
  const { id } = request;
  try {
    send({ type: 'result', id, value: await perform(request) });
  } catch (error) {
    const { name, message, stack, code } = error as NodeJS.ErrnoException;
    send({ type: 'result', id, error: { name, message, stack, code } });
  }
  if (request.type === 'close') port.close();
}

port.on('message', (request: SqliteRequest) => void handle(request));
