import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// tsc has already written the declarations to dist/esm. This bundles the code, so that the package has no dependency on core.

const here = import.meta.dirname;
const source = (name) => join(here, 'src', `${name}.ts`);
const output = (...path) => join(here, 'dist', ...path);

/** Each becomes one small file that pages load directly. */
const BROWSER = ['browser/browser', 'browser/split-testing', 'browser/relay', 'browser/private'];
/** For <script> tags: they define the global `switchyard`. */
const SCRIPTS = {
  'sdk.js': 'browser/script',
  'sdk-relay.js': 'browser/relay',
  'sdk-private.js': 'browser/private',
  'sdk-loader.js': 'browser/loader',
};
/** Audiences, which pages load when a test has one. */
const ON_DEMAND = {
  'sdk-audience.js': 'audience/page-audiences',
  'sdk-audience-values.js': 'audience/audience-values',
};
const SERVER = ['node/node', 'openfeature/openfeature', 'react/react', 'entries'];

const isLibrary = (id) => !/^[./]|^@switchyard\/core/.test(id);

async function bundle(inputs, inputOptions, outputs) {
  const build = await rolldown({
    input: Object.fromEntries(inputs.map((name) => [name, source(name)])),
    external: isLibrary,
    tsconfig: false,
    ...inputOptions,
  });
  for (const options of outputs) await build.write(options);
  await build.close();
}

// No hashes in file names, so that each build overwrites the chunks of the last one.
const chunkFileNames = 'shared/[name].js';
const modules = (options) => [
  { dir: output('esm'), format: 'esm', chunkFileNames, ...options },
  { dir: output('cjs'), format: 'cjs', exports: 'named', chunkFileNames, ...options },
];
/**
 * Members of internal interfaces that are mangled in browser bundles, to meet the size budget. Never list a name that
 * the DOM, the public API, a request or stored JSON uses.
 */
const INTERNAL_MEMBERS = [
  // client/host.ts
  'schedule',
  'store',
  'listKeys',
  'readCookies',
  'writeCookie',
  'sharedCookieDomain',
  'urlQuery',
  'onChoice',
  'whenShown',
  'announceConsent',
  'loadAudiences',
  // client/client-context.ts
  'retryDelayMs',
  'propertyQuery',
  'sendRequest',
  'notifyListeners',
  // client/definitions.ts
  'loadCached',
  'currentConfig',
  'refreshIfStale',
  'untilShown',
  'startView',
  // client/delivery.ts
  'enqueue',
  'sendBatches',
  // client/visit.ts
  'currentIds',
  'areDeleted',
  'claimOnce',
  'holdsClaim',
  'clearIds',
  // client/split-testing-client.ts
  'publicClient',
  'collect',
  'wakeUp',
  'profile',
  'onStart',
  'onStop',
  'followConsent',
  'isDisabled',
  'clientContext',
  // client/split-tests.ts
  'previewKey',
  'isOutside',
  // client/page-flags.ts
  'publicFlags',
  'loadFlags',
  'refreshFlags',
  'refreshOldFlags',
  'whenLoaded',
  // client/page-conversions.ts
  'publicGoals',
  'publicFeedback',
  'sendConversions',
];
const mangleProps = { include: new RegExp(`^(?:${INTERNAL_MEMBERS.join('|')})$`) };
const minified = { minify: { mangleProps }, comments: false };
/** Nearly all functions are called at once: browsers that know the comment do not parse them twice. */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n';
/** Keeps the comments that tell bundlers to leave the import of the debugging tools alone. */
const annotated = { ...minified, comments: { annotation: true, legal: false, jsdoc: false } };
const inBrowsers = { platform: 'browser', transform: { target: 'es2021' } };

/** Browser entries are one file each, and so is what they load on demand. */
const loadFromPackage = {
  name: 'load-from-package',
  resolveId: (id) =>
    /\/(page-audiences|audience-values)\.ts$/.test(id) && !id.startsWith('/')
      ? { id: id.replace(/\.ts$/, '.js'), external: true }
      : null,
};

/** Scripts are one file each: what they load on demand comes from the service. */
const loadFromService = {
  name: 'load-from-service',
  resolveId: (id, importer) =>
    /\/load-(audiences|values)\.ts$/.test(id)
      ? join(importer, '..', id.replace(/\.ts$/, '-from-service.ts'))
      : null,
};

/** The relay serves these scripts. As text in the code, they are also found in servers that are bundled. */
const RELAY_SCRIPTS = ['sdk-relay.js', 'sdk-debug.js', ...Object.keys(ON_DEMAND)];
const embedScripts = {
  name: 'embed-scripts',
  async load(id) {
    if (!id.endsWith('/node/relay/read-script.ts')) return null;
    const texts = {};
    for (const file of RELAY_SCRIPTS) texts[file] = await readFile(output(file), 'utf8');
    return `const texts = ${JSON.stringify(texts)};\nexport const readScript = (file) => texts[file];\n`;
  },
};

await rm(output('cjs'), { recursive: true, force: true });
await rm(output('esm', 'shared'), { recursive: true, force: true });
for (const name of BROWSER) {
  // Split testing alone has no debugging tools.
  const options = name === 'browser/split-testing' ? minified : annotated;
  await bundle(
    [name],
    { ...inBrowsers, plugins: [loadFromPackage] },
    modules({ ...options, sourcemap: 'hidden' }),
  );
}
for (const [file, name] of Object.entries(SCRIPTS)) {
  await bundle([name], { ...inBrowsers, plugins: [loadFromService] }, [
    { file: output(file), format: 'iife', name: 'switchyard', ...minified },
  ]);
  // The page contains the loader.
  if (file === 'sdk-loader.js') continue;
  await writeFile(output(file), COMPILE_HINT + (await readFile(output(file), 'utf8')));
}
// What scripts load on demand, by `import()` from the service.
for (const [file, name] of Object.entries(ON_DEMAND)) {
  const options = { minify: true, comments: false };
  await bundle([name], { ...inBrowsers, plugins: [loadFromPackage] }, modules(options));
  await bundle([name], { ...inBrowsers, plugins: [loadFromService] }, [
    { file: output(file), format: 'esm', ...options },
  ]);
}
// The debugging tools that pages load on demand, by `import()` from the service.
await bundle(['debug/attach'], { platform: 'browser', transform: { target: 'es2022' } }, [
  { file: output('sdk-debug.js'), format: 'esm', minify: true, comments: false },
]);
// Last, because the relay contains the scripts.
await bundle(
  SERVER,
  { platform: 'node', transform: { target: 'node20' }, plugins: [embedScripts] },
  modules({ sourcemap: true }),
);
// tsc keeps the .ts extensions of imports in declarations, but the sources are not published.
for (const file of await readdir(output('esm'), { recursive: true })) {
  if (!file.endsWith('.d.ts')) continue;
  const declared = source(file.slice(0, -'.d.ts'.length));
  // Left over from a source file that is gone, or of files that only our own code imports.
  if ((!existsSync(declared) && !existsSync(`${declared}x`)) || /^audience\b/.test(file)) {
    await rm(output('esm', file));
    continue;
  }
  const text = await readFile(output('esm', file), 'utf8');
  const fixed = text.replace(/(from |import\()(['"])(\.[^'"]*)\.tsx?\2/g, '$1$2$3.js$2');
  if (fixed !== text) await writeFile(output('esm', file), fixed);
}
await cp(output('esm'), output('cjs'), {
  recursive: true,
  force: false,
  filter: (path) => !/\.(js|map)$/.test(path),
});
await writeFile(output('sdk.d.ts'), "import './esm/browser/script-global.js';\n");
for (const name of ['relay', 'private']) {
  await writeFile(
    output(`sdk-${name}.d.ts`),
    `import type * as entry from './esm/browser/${name}.js';

declare global {
  /** The exports of \`/sdk-${name}.js\`, for pages that load it with a script element. \`undefined\` if it was blocked. */
  var switchyard: typeof entry | undefined;
}
`,
  );
}
await writeFile(output('sdk-debug.d.ts'), "export { attach } from './esm/debug/attach.js';\n");
await writeFile(output('cjs', 'package.json'), '{ "type": "commonjs" }\n');
await writeFile(output('.npmignore'), '.tsbuildinfo\n');
