import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Loaded with the pages that edit conditions, and later by pages where few people do. */
const CONDITION_EDITOR =
  /\/targeting\/(condition-editor|condition-list-editor|condition-values|operator-groups|use-attribute-names)\./;

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  html: { cspNonce: '__CSP_NONCE__' },
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
});
