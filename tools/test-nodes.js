// npm run test:nodes [-- VERSION …]: the tests that depend most on Node.js, on other versions than the one that is
// installed: all endpoints, errors, both lanes, crashes, the command line. Vitest and the servers it starts run on it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const RELEASES = { 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };
const FILES = [
  'packages/server/src/http/openapi/openapi.test.ts',
  'packages/server/src/http/pipeline/order-of-checks.test.ts',
  'packages/server/src/http/pipeline/error-responses.test.ts',
  'packages/server/src/http/pipeline/both-lanes.test.ts',
  'packages/server/src/http/pipeline/fast-lane.test.ts',
  'packages/server/src/features/accounts/access.test.ts',
  'packages/server/src/start/code-cache.test.ts',
  'packages/server/src/cli/cli.test.ts',
  'e2e/crashes/events.test.ts',
  'e2e/crashes/configuration.test.ts',
  'e2e/crashes/workers.test.ts',
];

// The directory of `packages/testing/src/programs/test-cache.ts`, which Node.js 20 cannot import.
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'switchyard-tests');

/** The binary, from the cache or from npm. */
function installNode(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const directory = join(CACHE, `${name}-${version}`);
  if (!existsSync(directory)) {
    console.log(`Installing Node.js ${version} for the tests …`);
    // Renamed when complete, so that an interrupted installation is not used.
    const incomplete = `${directory}.${process.pid}`;
    mkdirSync(incomplete, { recursive: true });
    try {
      writeFileSync(join(incomplete, 'package.json'), '{"private":true}');
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
      execFileSync('npm', ['install', ...options, `${name}@${version}`], {
        cwd: incomplete,
        stdio: 'inherit',
      });
      if (!existsSync(directory)) renameSync(incomplete, directory);
    } finally {
      rmSync(incomplete, { recursive: true, force: true });
    }
  }
  return join(directory, 'node_modules', name, 'bin/node');
}

function runTests(node) {
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...FILES], {
    stdio: 'inherit',
    // None of these tests needs ClickHouse.
    env: { ...process.env, PATH: path, TEST_CLICKHOUSE: '0' },
  });
  return status === 0;
}

const versions = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RELEASES);
const unknown = versions.find((version) => !(version in RELEASES));
if (unknown !== undefined) {
  throw new Error(`Versions are ${Object.keys(RELEASES).join(', ')}, not "${unknown}"`);
}
const outcomes = versions.map((version) => {
  const node = installNode(RELEASES[version]);
  console.log(`\nNode.js ${execFileSync(node, ['--version'], { encoding: 'utf8' })}`);
  return { version, passed: runTests(node) };
});
for (const { version, passed } of outcomes) {
  console.log(`Node.js ${version}: ${passed ? 'passed' : 'FAILED'}`);
}
if (outcomes.some(({ passed }) => !passed)) process.exitCode = 1;
