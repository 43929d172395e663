import type { ProvisionedProperty, ProvisionFile } from '@switchyard/core/api/provisioning';
import { Document, visit } from 'yaml';
import { COLLECTIONS, type ItemType, itemsOf, propertyDocument } from '../../storage/changes/entities.ts';
import { type ConfigurationLoaders, loadProperty } from '../../storage/configuration.ts';
import type { Database } from '../../storage/database.ts';
import type { ApiKey, PropertyConfiguration } from '../../storage/property-configuration.ts';
import { fileEntry, withoutNulls } from './file-entry.ts';

export interface ExportedConfiguration {
  file: ProvisionFile;
  /** Keys that cannot be exported, because only their hashes are stored. */
  secretKeys: ApiKey[];
}

/** The configuration of one or all properties as a file that `apply` accepts. */
export function exportConfiguration(
  database: Database,
  loaders: ConfigurationLoaders,
  propertyId?: string,
): Promise<ExportedConfiguration> {
  return database
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const properties: PropertyConfiguration[] = [];
      for (const stored of await loaders.listProperties(transaction, propertyId)) {
        properties.push(await loadProperty(transaction, loaders, stored));
      }
      return {
        file: { properties: properties.map(exportProperty) },
        secretKeys: properties.flatMap(({ apiKeys }) => apiKeys.filter((key) => key.publicKey === null)),
      };
    });
}

/** In this order: what others refer to comes first. */
const EXPORTED = ['environment', 'goal', 'feedback-type', 'split-test', 'segment', 'flag'] as const;

function exportProperty(property: PropertyConfiguration): ProvisionedProperty {
  const { createdAt: _createdAt, ...settings } = propertyDocument(property);
  const apiKeys = property.apiKeys.flatMap(({ kind, name, publicKey }) =>
    publicKey === null ? [] : [{ kind, name, key: publicKey }],
  );
  const lists = EXPORTED.map((type) => [COLLECTIONS[type], exportItems(property, type)]);
  const webhooks = exportItems(property, 'webhook');
  return {
    ...settings,
    apiKeys,
    ...Object.fromEntries(lists),
    ...(webhooks.length > 0 && { webhooks }),
  } as ProvisionedProperty;
}

function exportItems(property: PropertyConfiguration, type: ItemType): object[] {
  return itemsOf(property, type).map((item) => withoutNulls<object>(fileEntry(type, item)));
}

export function formatJson({ file }: ExportedConfiguration): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

export function formatYaml({ file, secretKeys }: ExportedConfiguration): string {
  const document = new Document(file, { aliasDuplicateObjects: false });
  const missing = secretKeys.map(
    ({ propertyId, name, prefix, lastFour }) => ` ${propertyId}: "${name}" (${prefix}…${lastFour})`,
  );
  if (missing.length > 0) {
    document.commentBefore = [' Secret keys are stored as hashes and cannot be exported:', ...missing].join(
      '\n',
    );
  }
  // Characters that terminals or editors do not show are escaped.
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && /[^\P{C}\n]|[\u0085\u2028\u2029]/u.test(node.value)) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return document.toString({ lineWidth: 0 });
}
