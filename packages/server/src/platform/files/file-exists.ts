import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';

/** Whether there is a file or directory; throws if this user may not read it, or not even look for it. */
export function fileExists(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (!isDenied(error)) return false;
    throw new Error(
      `Permission denied: ${currentUser()} may not read ${path}. Run the command as the user of the server.`,
      { cause: error },
    );
  }
}

/** Whether the file may be there, but not for this user. */
export const isDenied = (error: unknown): boolean =>
  ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** For messages. */
export function currentUser(): string {
  try {
    const { username, uid } = userInfo();
    return `user ${username} (${uid})`;
  } catch {
    // In a container, a user may have no name.
    return `user ${process.getuid?.()}`;
  }
}
