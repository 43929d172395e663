import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// The declarations are tsc's and lie in dist/esm already: this bundles the code, so that the package needs no other.

const here = import.meta.dirname;
const source = (name) => join(here, 'src', `${name}.ts`);
const output = (...path) => join(here, 'dist', ...path);

/** Each of these is one small file: pages load it as it is. */
const BROWSER = ['browser/browser', 'browser/split-testing'];
const SERVER = ['node/node', 'openfeature/openfeature', 'react/react'];

const isLibrary = (id) => !/^[./]|^@switchyard\/core/.test(id);

async function bundle(inputs, options, outputs) {
  const build = await rolldown({
    input: Object.fromEntries(inputs.map((name) => [name, source(name)])),
    external: isLibrary,
    tsconfig: false,
    ...options,
  });
  for (const each of outputs) await build.write(each);
  await build.close();
}

// Without hashes in their names, chunks of this build replace those of the last one.
const chunkFileNames = 'shared/[name].js';
const modules = (options) => [
  { dir: output('esm'), format: 'esm', chunkFileNames, ...options },
  { dir: output('cjs'), format: 'cjs', exports: 'named', chunkFileNames, ...options },
];
/** Annotations for bundlers would be a tenth of some functions. */
const minified = { minify: true, comments: false };
const inBrowsers = { platform: 'browser', transform: { target: 'es2021' } };

await rm(output('cjs'), { recursive: true, force: true });
await rm(output('esm', 'shared'), { recursive: true, force: true });
for (const name of BROWSER) await bundle([name], inBrowsers, modules({ ...minified, sourcemap: 'hidden' }));
await bundle(SERVER, { platform: 'node', transform: { target: 'node20' } }, modules({ sourcemap: true }));
// For a <script> tag: everything hangs on one global, `switchyard`.
await bundle(['browser/browser'], inBrowsers, [
  { file: output('sdk.js'), format: 'iife', name: 'switchyard', ...minified },
]);
// tsc leaves the names of our sources in declarations, which are not published.
for (const file of await readdir(output('esm'), { recursive: true })) {
  if (!file.endsWith('.d.ts')) continue;
  const text = await readFile(output('esm', file), 'utf8');
  const named = text.replace(/(from |import\()(['"])(\.[^'"]*)\.tsx?\2/g, '$1$2$3.js$2');
  if (named !== text) await writeFile(output('esm', file), named);
}
await cp(output('esm'), output('cjs'), {
  recursive: true,
  force: false,
  filter: (path) => !/\.(js|map)$/.test(path),
});
await writeFile(output('cjs', 'package.json'), '{ "type": "commonjs" }\n');
await writeFile(output('.npmignore'), '.tsbuildinfo\n');
