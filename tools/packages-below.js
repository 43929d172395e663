/**
 * @typedef {{ version: string, license?: string, dependencies?: Record<string, string>,
 *   devDependencies?: Record<string, string> }} LockedPackage
 * @typedef {Record<string, LockedPackage>} LockedPackages by their folder
 */

/**
 * The folders of packages that a package needs, directly or indirectly, as the lockfile has them. Without optional
 * ones, which are native code for one platform each.
 *
 * @param {LockedPackages} packages
 * @param {string} folder of the package
 * @param {string[]} names of its dependencies
 * @param {Map<string, string>} [found]
 * @returns {Map<string, string>} names by folder
 */
export function packagesBelow(packages, folder, names, found = new Map()) {
  for (const name of names) {
    const path = locate(packages, folder, name);
    if (found.has(path)) continue;
    found.set(path, name);
    packagesBelow(packages, path, Object.keys(packages[path].dependencies ?? {}), found);
  }
  return found;
}

/** Where Node.js finds a package that is imported from a folder: in the nearest node_modules. */
function locate(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') throw new Error(`The lockfile has no ${name}, which ${from} needs.`);
  }
}
