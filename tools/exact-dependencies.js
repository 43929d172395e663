/**
 * All run-time dependencies of a package, also indirect ones, with the versions of the lockfile. Listed as its own
 * dependencies, they are installed in exactly these versions everywhere. Not the optional ones: those are native code
 * for one platform each, and their versions are exact already.
 *
 * @param {{ packages: Record<string, { version: string, dependencies?: Record<string, string>, dev?: boolean }> }} lockfile
 * @param {string} folder of the package
 * @returns {Record<string, string>}
 */
export function exactDependencies({ packages }, folder) {
  /** @type {Record<string, string>} */
  const versions = {};
  const visit = (/** @type {string} */ path) => {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      const found = locate(packages, path, name);
      const { version } = packages[found];
      if (versions[name] === version) continue;
      if (versions[name] !== undefined) {
        throw new Error(`Two versions of ${name} are needed at run time: ${versions[name]} and ${version}.`);
      }
      versions[name] = version;
      visit(found);
    }
  };
  visit(folder);
  return Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Where Node.js finds a package that is imported from a folder: in the nearest node_modules. */
function locate(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') throw new Error(`The lockfile has no ${name}, which ${from} needs.`);
  }
}
