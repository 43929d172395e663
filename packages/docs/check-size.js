import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

// Compares what a page of the documentation loads, compressed and without images, with its budget.

const dist = join(import.meta.dirname, 'dist');
const KB = 1000;
const PAGE_BUDGET = 50 * KB;

const size = (/** @type {string} */ file) => statSync(join(dist, `${file}.br`)).size;

/** The page, its styles and its scripts, with everything that those import. @param {string} page */
function weight(page) {
  const html = readFileSync(join(dist, page), 'utf8');
  const assets = new Set(
    [...html.matchAll(/(?:src|href)="[^"]*assets\/([\w.-]+\.(?:js|css))"/g)].map(([, name]) => name),
  );
  for (const name of assets) {
    const text = readFileSync(join(dist, 'assets', name), 'utf8');
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
      assets.add(imported);
  }
  return [...assets].reduce((sum, name) => sum + size(join('assets', name)), size(page));
}

const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const [largest] = pages.map((name) => ({ name, bytes: weight(name) })).sort((a, b) => b.bytes - a.bytes);
if (largest === undefined) throw new Error('The build has no pages');
const isTooLarge = largest.bytes > PAGE_BUDGET;
console.log(
  `${isTooLarge ? 'too large' : 'ok'}  ${(largest.bytes / KB).toFixed(1)} of ${PAGE_BUDGET / KB} kB  documentation: largest page (${largest.name})`,
);
if (isTooLarge) process.exitCode = 1;
