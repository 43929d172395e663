// npm runs this after `npm ci` and `npm install`.
import '../packages/server/bin/require-node.js';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const hasBuildTools = ['rolldown', 'typescript', 'vite'].every((name) =>
  existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
);
if (hasBuildTools) {
  process.exitCode = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
} else {
  console.log('Skipped the build: the development packages are not installed. "npm ci" installs them.');
}
