import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** In the data directory, so that whoever may read the data may back it up, and nobody else. */
export const CONTROL_SOCKET = 'control.sock';

export const socketFile = (dataDir: string) => join(resolve(dataDir), CONTROL_SOCKET);

/** Systems limit the path of a socket to 104 or 108 bytes, with the final zero. */
const MAX_BYTES = 103;

/** Calls `use` with a path of a socket in a data directory that is short enough: through a symbolic link if needed. */
export async function withSocketPath<T>(
  dataDir: string,
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(resolve(dataDir), name);
  if (Buffer.byteLength(path) <= MAX_BYTES) return use(path);
  const directory = await mkdtemp(join(tmpdir(), 'switchyard-'));
  try {
    const link = join(directory, 'data');
    await symlink(resolve(dataDir), link);
    return await use(join(link, name));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
