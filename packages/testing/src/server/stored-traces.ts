import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A text that no engine can compress, so that a search for its bytes finds it wherever it is stored; fit for an id. */
export const uniqueText = (): string => randomBytes(24).toString('base64url').replaceAll(/[-_]/g, 'x');

/**
 * Where the bytes of all files below a directory contain one of the texts, as `file: text`. Also after an engine has
 * deleted the rows: it may leave them in free pages, in its log and in old copies of blocks.
 */
export function storedTraces(directory: string, texts: readonly string[]): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) => {
      const bytes = readIfPresent(file);
      return texts
        .filter((text) => bytes.includes(text))
        .map((text) => `${relative(directory, file)}: ${text}`);
    });
}

/** A running server may delete files meanwhile. */
function readIfPresent(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
