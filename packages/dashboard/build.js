import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

// Builds the dashboard and compresses its files. A build of unchanged sources is kept, because every start runs it.

const here = import.meta.dirname;
const hashFile = join(here, 'dist', 'source-hash');

const hash = await sourceHash([
  join(here, '..', '..', 'package-lock.json'),
  ...(await filesBelow(join(here, 'src'))),
  ...(await filesBelow(join(here, 'public'))),
  ...(await filesBelow(join(here, '..', 'core', 'src'))),
  ...['index.html', 'vite.config.ts', 'build.js'].map((name) => join(here, name)),
]);
const known = await readFile(hashFile, 'utf8').catch(() => undefined);
if (known !== hash) {
  await build({ root: here, configFile: join(here, 'vite.config.ts'), logLevel: 'warn' });
  for (const path of await filesBelow(join(here, 'dist'))) {
    if (/\.(js|css|svg)$/.test(path)) await compressFile(path);
  }
  await writeFile(hashFile, hash);
}

/** @param {string} directory */
async function filesBelow(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** @param {string[]} paths */
async function sourceHash(paths) {
  const result = createHash('sha256');
  for (const path of paths) result.update(path.slice(here.length)).update(await readFile(path));
  return result.digest('hex');
}

/** @param {string} path */
async function compressFile(path) {
  const content = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
}
