import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = 'sdk.tgz';
const HASH = 'sdk-source-hash';

/**
 * Writes the npm package of the SDK into a directory, unless it is up to date: `npm pack` takes a second, and every
 * start runs the build. Equal sources give equal bytes.
 *
 * @param {string} sdk the folder of the SDK
 * @param {string} directory
 * @returns {Promise<string[]>} the names of its files
 */
export async function packSdk(sdk, directory) {
  const hash = await sourceHash(sdk);
  const known = await readFile(join(directory, HASH), 'utf8').catch(() => undefined);
  if (known !== hash) {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: sdk });
    const [{ filename }] = JSON.parse(stdout);
    await rename(join(directory, filename), join(directory, PACKAGE));
    await writeFile(join(directory, HASH), hash);
  }
  return [PACKAGE, HASH];
}

/** Of everything that can be in the package. */
async function sourceHash(sdk) {
  const result = createHash('sha256');
  const entries = await readdir(sdk, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  for (const name of await readdir(join(sdk, 'dist'), { recursive: true, withFileTypes: true })) {
    if (name.isFile()) files.push(join(name.parentPath, name.name).slice(sdk.length + 1));
  }
  for (const name of files.sort()) result.update(`${name}\n`).update(await readFile(join(sdk, name)));
  return result.digest('hex');
}
