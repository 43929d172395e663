// npm run release: writes the files that users install, switchyard-<version>.tgz and switchyard-sdk-<version>.tgz, into
// the root of the repository, or into the directory that is passed.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exactDependencies } from './exact-dependencies.js';
import { thirdPartyLicenses } from './third-party-licenses.js';

const root = join(import.meta.dirname, '..');
const server = join(root, 'packages', 'server');

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

const { packages } = readJson(join(root, 'package-lock.json'));

/** Source maps would more than double the size. A server that exits may be writing to the code cache. */
const isShipped = (path) => !/\.map$|source-hash$|code-cache.*\.\d+$/.test(path);

/** Passwords of whoever tried deploy/nodes/compose.yaml in this checkout. */
const isPublic = (path) => !/[/\\]\.env$/.test(path);

/** The package.json of the release: without development packages and scripts. */
function releaseManifest() {
  const source = readJson(join(server, 'package.json'));
  const { name, version, description, license, type, engines, bin } = source;
  const dependencies = exactDependencies(packages, 'packages/server');
  // Private, so that nobody publishes it by mistake: the name is not ours on the public registry.
  return { name, version, private: true, description, license, type, engines, bin, dependencies };
}

/** Returns the path of the package. */
function packServer(directory, manifest) {
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of ['bin', 'dist']) {
    cpSync(join(server, name), join(directory, name), { recursive: true, filter: isShipped });
  }
  for (const name of ['LICENSE', 'README.md', 'deploy']) {
    cpSync(join(root, name), join(directory, name), { recursive: true, filter: isPublic });
  }
  writeFileSync(join(directory, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(root, packages));
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: directory });
  return join(directory, JSON.parse(output)[0].filename);
}

function writeRelease(target) {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-release-'));
  try {
    const manifest = releaseManifest();
    const files = {
      [`switchyard-${manifest.version}.tgz`]: packServer(directory, manifest),
      [`switchyard-sdk-${manifest.version}.tgz`]: join(server, 'dist', 'sdk.tgz'),
    };
    for (const [name, path] of Object.entries(files)) {
      cpSync(path, join(target, name));
      console.log(`${name}  ${(statSync(path).size / 1e6).toFixed(1)} MB`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

writeRelease(resolve(process.argv[2] ?? root));
