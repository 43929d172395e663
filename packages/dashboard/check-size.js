import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

// Compares the compressed sizes of the built dashboard with its budgets.

const dist = join(import.meta.dirname, 'dist');
const KB = 1000;
const BUDGETS = { firstScript: 171 * KB, firstStyle: 20 * KB, route: 49 * KB, everything: 333 * KB };

/** @typedef {{ file: string, css?: string[], imports?: string[], dynamicImports?: string[], isEntry?: boolean }} Chunk */
/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));

/** A chunk and everything that it imports statically. @param {string} name @returns {Set<string>} */
function withImports(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const each of manifest[name]?.imports ?? []) withImports(each, found);
  return found;
}

const size = (/** @type {Iterable<string>} */ files) =>
  [...new Set(files)].reduce((sum, file) => sum + statSync(join(dist, `${file}.br`)).size, 0);
const scripts = (/** @type {Iterable<string>} */ chunks) =>
  size([...chunks].map((name) => manifest[name].file));
const styles = (/** @type {Iterable<string>} */ chunks) =>
  size([...chunks].flatMap((name) => manifest[name].css ?? []));

const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
if (entry === undefined) throw new Error('The build has no entry');
const first = withImports(entry);
/** What the first load imports later; parts that a page loads even later are not routes. */
const pages = [...new Set([...first].flatMap((name) => manifest[name].dynamicImports ?? []))];
const routes = pages.map((name) => {
  const added = [...withImports(name)].filter((chunk) => !first.has(chunk));
  return { name, bytes: scripts(added) };
});
routes.sort((a, b) => b.bytes - a.bytes);

const results = [
  ['first load, script', scripts(first), BUDGETS.firstScript],
  ['first load, style', styles(first), BUDGETS.firstStyle],
  [`largest route (${routes[0]?.name.replace(/^.*\//, '')})`, routes[0]?.bytes ?? 0, BUDGETS.route],
  [
    'all scripts',
    size(Object.values(manifest).flatMap(({ file }) => (file.endsWith('.js') ? [file] : []))),
    BUDGETS.everything,
  ],
];
for (const [name, bytes, budget] of /** @type {[string, number, number][]} */ (results)) {
  const isTooLarge = bytes > budget;
  console.log(
    `${isTooLarge ? 'too large' : 'ok'}  ${(bytes / KB).toFixed(1)} of ${budget / KB} kB  dashboard: ${name}`,
  );
  if (isTooLarge) process.exitCode = 1;
}
if (process.argv.includes('--routes')) {
  for (const { name, bytes } of routes) console.log(`${(bytes / KB).toFixed(1).padStart(6)} kB  ${name}`);
}
