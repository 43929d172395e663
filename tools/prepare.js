// npm runs this after `npm ci` and `npm install`, and before `npm start` with the argument `start`.
import '../packages/server/bin/require-node.js';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const hasBuildTools = ['rolldown', 'typescript', 'vite'].every((name) =>
  existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
);
if (hasBuildTools) {
  process.exitCode = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
} else if (process.argv[2] === 'start') {
  console.error(
    'Switchyard cannot be built: the development packages are not installed. Run "npm ci", or install a release (docs/operation/install.md).',
  );
  process.exitCode = 1;
} else {
  console.log('Skipped the build: the development packages are not installed. "npm ci" installs them.');
}
