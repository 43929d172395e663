import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';

// Builds the documentation site. A build of unchanged sources is kept, because every start runs it.

const here = import.meta.dirname;
const root = join(here, '..', '..');
const dist = join(here, 'dist');
const hashFile = join(dist, 'source-hash');

const hash = await sourceHash([
  join(root, 'package-lock.json'),
  join(here, 'build.js'),
  ...(await filesBelow(join(here, 'src'))),
  ...(await filesBelow(join(root, 'docs'))),
  ...['packages/sdk/README.md', 'CHANGELOG.md', 'SECURITY.md'].map((name) => join(root, name)),
]);
const known = await readFile(hashFile, 'utf8').catch(() => undefined);
if (known !== hash) {
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, 'assets'), { recursive: true });
  const assets = { ...(await bundleScripts()), ...(await bundleStyles()) };
  const { buildSite } = await loadBuilder();
  await buildSite({ root, dist, assets });
  for (const path of await filesBelow(dist)) {
    if (['.html', '.js', '.css', '.json', '.md', '.txt'].includes(extname(path))) await compressFile(path);
  }
  await writeFile(hashFile, hash);
}

/** The scripts of the pages, by name. */
async function bundleScripts() {
  const output = [
    // Runs before the first paint, so it cannot be a module.
    ...(await bundle({ theme: 'src/browser/theme.ts' }, 'iife')),
    ...(await bundle({ site: 'src/browser/site.ts', api: 'src/browser/api/api-reference.ts' }, 'esm')),
  ];
  const entries = output.filter((chunk) => chunk.type === 'chunk' && chunk.isEntry);
  return Object.fromEntries(entries.map(({ name, fileName }) => [`${name}.js`, fileName]));
}

/** @param {Record<string, string>} input @param {'iife' | 'esm'} format */
async function bundle(input, format) {
  const build = await rolldown({ input, cwd: here, platform: 'browser', tsconfig: false });
  const { output } = await build.write({
    dir: join(dist, 'assets'),
    format,
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  return output;
}

async function bundleStyles() {
  const parts = (await filesBelow(join(here, 'src', 'styles'))).map((path) => readFile(path, 'utf8'));
  const text = (await Promise.all(parts)).join('\n').replace(/\/\*[\s\S]*?\*\/|^\s+/gm, '');
  const name = `site-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.css`;
  await writeFile(join(dist, 'assets', name), text);
  return { 'site.css': name };
}

/** The part of the build that is written in TypeScript. */
async function loadBuilder() {
  const file = join(dist, 'builder.js');
  const build = await rolldown({
    input: join(here, 'src', 'site', 'build-site.ts'),
    platform: 'node',
    tsconfig: false,
  });
  await build.write({ file, format: 'esm' });
  await build.close();
  const builder = await import(pathToFileURL(file).href);
  await rm(file);
  return builder;
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
  for (const path of paths) {
    result.update(path.slice(root.length)).update(await readFile(path).catch(() => ''));
  }
  return result.digest('hex');
}

/** @param {string} path */
async function compressFile(path) {
  const content = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
}
