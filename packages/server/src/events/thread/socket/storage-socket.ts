import { chmod, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { MessageSocket } from './message-socket.ts';
import { withSocketPath } from './socket-path.ts';

const SOCKET = 'workers.sock';

/**
 * Accepts connections of other processes of this server, through a socket in the data directory. Returns a function
 * that closes it and all connections. The caller holds the lock of the directory.
 */
export async function listenForWorkers(
  dataDir: string,
  onConnection: (connection: MessageSocket) => void,
): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    onConnection(new MessageSocket(socket));
  });
  await withSocketPath(dataDir, SOCKET, async (path) => {
    // A killed server leaves its socket behind.
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    await chmod(path, 0o600);
  });
  server.unref();
  return () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
}

export function connectToStorage(dataDir: string): Promise<MessageSocket> {
  return withSocketPath(
    dataDir,
    SOCKET,
    (path) =>
      new Promise((resolve, reject) => {
        const socket = createConnection(path, () => {
          socket.off('error', reject);
          resolve(new MessageSocket(socket));
        });
        socket.once('error', reject);
      }),
  );
}
