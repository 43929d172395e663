// Builds if something has changed. npm runs this after `npm ci` and `npm install`, before `npm start` with the argument
// `start`, and before `npm test`.
import '../packages/server/bin/require-node.js';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Written after a build. */
const STAMP = join(ROOT, 'node_modules/.cache/switchyard/built');
/** Not read by a build. */
const IGNORED = new Set(['node_modules', 'dist', '.git', 'data']);

function changedSince(time, directory = ROOT) {
  return readdirSync(directory, { withFileTypes: true }).some((entry) => {
    if (IGNORED.has(entry.name)) return false;
    const path = join(directory, entry.name);
    return entry.isDirectory() ? changedSince(time, path) : statSync(path).mtimeMs > time;
  });
}

const isBuilt = () => existsSync(STAMP) && !changedSince(statSync(STAMP).mtimeMs);

function build() {
  const startedAt = new Date();
  const status = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
  if (status === 0) {
    mkdirSync(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, '');
    utimesSync(STAMP, startedAt, startedAt);
  }
  return status;
}

const hasBuildTools = ['rolldown', 'typescript', 'vite'].every((name) =>
  existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
);
if (hasBuildTools) {
  process.exitCode = isBuilt() ? 0 : build();
} else if (process.argv[2] === 'start') {
  console.error(
    'Switchyard cannot be built: the development packages are not installed. Run "npm ci", or install a release (docs/operation/install.md).',
  );
  process.exitCode = 1;
} else {
  console.log('Skipped the build: the development packages are not installed. "npm ci" installs them.');
}
