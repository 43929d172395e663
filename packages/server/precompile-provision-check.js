import { join } from 'node:path';
import { ProvisionFile } from '@switchyard/core/api/provisioning';
import { Ajv } from 'ajv';
import standaloneModule from 'ajv/dist/standalone/index.js';

const REPLACED = join(import.meta.dirname, 'src/features/provisioning/provision-precheck.ts');

/** A plugin of the build that replaces `provision-precheck.ts` by code that Ajv generates from the schema of provision files. */
export function precompileProvisionCheck() {
  return {
    name: 'precompile-provision-check',
    load(id) {
      return id === REPLACED ? { code: generate(), moduleType: 'js' } : null;
    },
  };
}

function generate() {
  const ajv = new Ajv({ strict: false, messages: false, code: { source: true } });
  ajv.addSchema(ProvisionFile, 'file');
  return standaloneModule.default(ajv, { isKnownToBeValid: 'file' });
}
