import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { HOUR_MS } from '@switchyard/core/time';
import type { EventStorage } from '../../events/thread/event-storage.ts';
import { CONTROL_SOCKET, socketFile, withSocketPath } from '../../events/thread/socket/socket-path.ts';
import { type BackupRequest, onMessage, sendMessage } from './backup-messages.ts';

/** A command that hangs, for example on a network drive, must not hold the files forever. */
const MAX_HOLD_MS = HOUR_MS;

type Files = Pick<EventStorage, 'holdFiles' | 'releaseJournal' | 'releaseFiles'>;

/**
 * Lets `switchyard backup` copy the files of this server: it connects to a socket in the data directory, and the files
 * are held until it disconnects. Returns a function that stops listening. The caller holds the lock of the directory.
 */
export async function listenForBackups(dataDir: string, files: Files): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveBackup(socket, files);
  });
  await withSocketPath(dataDir, CONTROL_SOCKET, async (path) => {
    // A killed server leaves its socket behind.
    await rm(path, { force: true });
    await listen(server, path);
  });
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    // Node.js removes it only under the path that it was given, which may have been a link.
    await rm(socketFile(dataDir), { force: true });
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      // The process ends when its other work is done.
      server.unref();
      resolve();
    });
  });
}

function serveBackup(socket: Socket, files: Files): void {
  let hold: Promise<void> | undefined;
  let isHolding = false;
  const fail = (error: unknown) => {
    sendMessage(socket, { type: 'failed', message: (error as Error).message });
    socket.end();
  };
  const timer = setTimeout(() => fail(new Error('The backup took more than an hour.')), MAX_HOLD_MS).unref();
  const holdFiles = async () => {
    const held = await files.holdFiles();
    isHolding = true;
    sendMessage(socket, { type: 'held', ...held });
  };
  const answer = async ({ type }: BackupRequest) => {
    if (type === 'hold' && !hold) {
      hold = holdFiles();
      return hold;
    }
    if (type !== 'journal-copied' || !isHolding) throw new Error('The server does not know this request.');
    await files.releaseJournal();
    sendMessage(socket, { type: 'continue' });
  };
  socket.on('error', () => socket.destroy());
  onMessage<BackupRequest>(socket, (request) => void answer(request).catch(fail));
  socket.on('close', () => {
    clearTimeout(timer);
    // A hold that was refused belongs to another connection. Releasing fails only with the storage thread, which ends
    // the process.
    void hold?.then(() => files.releaseFiles()).catch(() => undefined);
  });
}
