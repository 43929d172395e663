import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SOURCE = join(import.meta.dirname, 'src');

/** Loaded with the pages that edit conditions, and later by pages where few people do. */
const CONDITION_EDITOR =
  /\/targeting\/(condition-editor|condition-list-editor|condition-values|operator-groups|use-attribute-names)\./;

export default defineConfig(({ command }) => ({
  plugins: [react(), jsxAsModule()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  html: { cspNonce: '__CSP_NONCE__' },
  ...(command === 'build' && { css: { modules: { generateScopedName: shortClassNames() } } }),
  build: {
    outDir: 'dist',
    target: 'es2022',
    manifest: true,
    // Inlined files would need a wider content security policy.
    assetsInlineLimit: 0,
    // check-size.js has the limits.
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Constants that are computed do not count as used because of that.
      treeshake: { moduleSideEffects: [{ test: /packages\/core\//, sideEffects: false }] },
      output: {
        // By default each combination of pages that share modules gets a file of its own, a hundred small ones that
        // compress badly. A module needs only modules with the same or more users, so the files have no import cycles.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'common', test: (id) => !CONDITION_EDITOR.test(id), minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:3000', '/docs': 'http://127.0.0.1:3000' } },
}));

/** React's file is CommonJS: each element would be created by a longer call, through the object of its exports. */
function jsxAsModule(): Plugin {
  const name = 'react/jsx-runtime';
  const module = `\0${name}`;
  return {
    name: 'jsx-as-module',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id, importer) => (id === name && importer !== module ? module : null),
    load: (id) =>
      id === module ? `import runtime from '${name}'; export const { Fragment, jsx, jsxs } = runtime;` : null,
  };
}

/** Usual names contain the name in the file, a hash and a line; here they are numbers, the same in every build. */
function shortClassNames() {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.module.css'))
    .sort()
    .map((path) => ({ path: join(SOURCE, path), names: [] as string[] }));
  return (name: string, path: string): string => {
    const at = files.findIndex((file) => file.path === path);
    const { names } = files[at]!;
    if (!names.includes(name)) names.push(name);
    return `_${at.toString(36)}-${names.indexOf(name).toString(36)}`;
  };
}
