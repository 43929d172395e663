import { readFileSync } from 'node:fs';

/**
 * The text of a browser script of this package; `undefined` if there is none. The build replaces this file by one that
 * contains the texts, so that the relay also works in servers that are bundled.
 */
export function readScript(file: string): string | undefined {
  try {
    return readFileSync(new URL(`../../../dist/${file}`, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}
