import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes the directory, for its owner only, with what is missing above it; says which setting is wrong if it cannot. */
export function makeDataDirectory(directory: string): void {
  try {
    makeDirectory(resolve(directory));
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`DATA_DIR ${directory} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/** Step by step: Node's own `recursive` never ends where the parent is there but takes no entries, as in /proc. */
function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Two may start at once.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
