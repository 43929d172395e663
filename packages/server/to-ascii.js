import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Escapes all other characters: V8 holds such a file in half the memory, which is 8 MB (5 %) of a server that started. */
export async function toAscii(directory, output) {
  for (const { fileName } of output) {
    if (!fileName.endsWith('.cjs')) continue;
    const file = join(directory, fileName);
    const code = await readFile(file, 'utf8');
    await writeFile(file, code.replace(/[^\0-\x7f]/g, escaped));
  }
}

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
