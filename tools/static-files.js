// What the builds of the dashboard and of the documentation site have in common.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = join(import.meta.dirname, '..');

/** @param {string} directory */
export async function filesBelow(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Equal as long as the files have the same names and contents. @param {string[]} paths */
export async function sourceHash(paths) {
  const result = createHash('sha256');
  for (const path of [import.meta.filename, ...paths]) {
    result.update(relative(root, path)).update(await readFile(path).catch(() => ''));
  }
  return result.digest('hex');
}

/** Writes the file again as `.br` and `.gz`, so that the server does not compress it. @param {string} path */
export async function compressFile(path) {
  const content = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
}
