import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { compressFile, filesBelow, sourceHash } from '../../tools/static-files.js';

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
  ...(await filesBelow(join(root, 'deploy'))),
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
