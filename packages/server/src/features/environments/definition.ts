import { managed } from '@switchyard/core/api/management';
import { ProvisionedEnvironment } from '@switchyard/core/api/provisioning';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { PRODUCTION } from '../../configuration/property/property-configuration.ts';
import { field, toggle } from '../../configuration/words/change-words.ts';
import { quoted } from '../../configuration/words/value-words.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { resolveEnvironments } from './environment-rules.ts';
import { environmentRows } from './environment-store.ts';

export const environmentDefinition: CollectionDefinition<'environment'> = {
  type: 'environment',
  field: 'environments',
  keyField: 'id',
  tables: { environments: ['property_id', 'id'] },
  rows: environmentRows,
  resolve: resolveEnvironments,
  words: {
    fields: {
      name: field('Name', quoted),
      protected: toggle('Protected: changes by editors need an approval', 'No longer protected'),
    },
  },
  file: {},
  managed: {
    path: 'environments',
    body: ProvisionedEnvironment,
    response: managed('ManagedEnvironment', ProvisionedEnvironment.properties),
    access: 'admin',
    refuseDeletion({ id }, property) {
      if (id !== PRODUCTION.id) return;
      throw new ApiError('in_use', {
        message: 'Every property has the environment "production".',
        details: { references: [{ type: 'property', key: property.id }] },
      });
    },
  },
};
