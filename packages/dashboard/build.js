import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { compressFile, filesBelow, sourceHash } from '../../tools/static-files.js';

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
