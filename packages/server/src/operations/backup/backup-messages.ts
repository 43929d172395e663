import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { HeldFiles } from '../../events/store/event-store.ts';

// One line of JSON per message. The hold lasts as long as the connection.

export type BackupRequest = { type: 'hold' } | { type: 'journal-copied' };

export type BackupReply =
  | ({ type: 'held' } & HeldFiles)
  | { type: 'continue' }
  | { type: 'failed'; message: string };

export function sendMessage(socket: Socket, message: BackupRequest | BackupReply): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

export function onMessage<T extends BackupRequest | BackupReply>(
  socket: Socket,
  receive: (message: T) => void,
): void {
  createInterface({ input: socket }).on('line', (line) => receive(parse(line) as T));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { type: 'invalid' };
  }
}
