import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesBelow } from './packages-below.js';

/** Packages whose code becomes part of the bundles. */
const BUNDLED_IN = ['packages/core', 'packages/server', 'packages/dashboard', 'packages/docs'];
/** Tools and types leave no code behind. */
const LEAVES_NO_CODE = /^(@types\/.*|vite|@vitejs\/.*|@switchyard\/.*)$/;

/**
 * The license texts of the libraries that are part of our bundles.
 *
 * @param {string} root of the repository
 * @param {import('./packages-below.js').LockedPackages} packages
 */
export function thirdPartyLicenses(root, packages) {
  const folders = new Map();
  // Installed as packages of their own, with their licenses.
  const installed = packages['packages/server'].dependencies ?? {};
  for (const folder of BUNDLED_IN) {
    const { dependencies, devDependencies } = packages[folder];
    const names = Object.keys({ ...dependencies, ...devDependencies });
    const bundled = names.filter((name) => !LEAVES_NO_CODE.test(name) && !(name in installed));
    packagesBelow(packages, folder, bundled, folders);
  }
  const sections = [...folders].map(([path, name]) => {
    const { version, license } = packages[path];
    return `${name} ${version} (${license})\n\n${licenseText(join(root, path))}`;
  });
  const introduction = 'Switchyard contains code of the following libraries.';
  return `${[introduction, ...sections.sort()].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function licenseText(folder) {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|notice)\b/i.test(name));
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}
