import { packagesBelow } from './packages-below.js';

/**
 * All run-time dependencies of a package, also indirect ones, with the versions of the lockfile. Listed as its own
 * dependencies, they are installed in exactly these versions everywhere.
 *
 * @param {import('./packages-below.js').LockedPackages} packages
 * @param {string} folder of the package
 * @returns {Record<string, string>}
 */
export function exactDependencies(packages, folder) {
  /** @type {Record<string, string>} */
  const versions = {};
  const names = Object.keys(packages[folder].dependencies ?? {});
  for (const [path, name] of packagesBelow(packages, folder, names)) {
    const { version } = packages[path];
    if (name in versions && versions[name] !== version) {
      throw new Error(`Two versions of ${name} are needed at run time: ${versions[name]} and ${version}.`);
    }
    versions[name] = version;
  }
  return Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
}
