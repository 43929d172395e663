import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Creates the directory and missing parents, accessible to the owner only; errors name the setting. */
export function makeDataDirectory(directory: string): void {
  try {
    makeDirectory(resolve(directory));
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`Cannot use DATA_DIR ${directory}: ${(error as Error).message}`, { cause: error });
  }
}

/** Not with Node's `recursive` option: it loops forever if the parent exists but rejects new entries, as /proc does. */
function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
