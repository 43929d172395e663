// Builds if something has changed. npm runs this after `npm ci` and `npm install`, before `npm start` with the argument
// `start`, and before `npm test`.
import '../packages/server/bin/require-node.js';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Identifies the files of the last build. */
const STAMP = join(ROOT, 'node_modules/.cache/switchyard/built');
const OUTPUTS = ['core', 'sdk', 'dashboard', 'docs', 'server'].map((name) =>
  join(ROOT, 'packages', name, 'dist'),
);
/** Not read by a build. */
const IGNORED = new Set(['node_modules', 'dist', '.git', 'data']);

function* filesIn(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (IGNORED.has(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else yield path;
  }
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const path of [...filesIn(ROOT)].sort()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function build() {
  // Before the build, so that what changes meanwhile is built next time.
  const current = fingerprint();
  const isBuilt = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === current && OUTPUTS.every(existsSync);
  if (isBuilt) return 0;
  const status = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
  if (status === 0) {
    mkdirSync(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, current);
  }
  return status;
}

const hasBuildTools = ['rolldown', 'typescript', 'vite'].every((name) =>
  existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
);
if (hasBuildTools) {
  process.exitCode = build();
} else if (process.argv[2] === 'start') {
  console.error(
    'Switchyard cannot be built: the development packages are not installed. Run "npm ci", or install a release (docs/operation/install.md).',
  );
  process.exitCode = 1;
} else {
  console.log('Skipped the build: the development packages are not installed. "npm ci" installs them.');
}
