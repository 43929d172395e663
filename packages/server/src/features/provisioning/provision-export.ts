import { ProvisionedProperty, type ProvisionFile } from '@switchyard/core/api/provisioning';
import { Document, visit } from 'yaml';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { ApiKey, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { loadProperty } from '../../configuration/snapshot/configuration.ts';
import { exportedEntry } from './file-entry.ts';

export interface ExportedConfiguration {
  file: ProvisionFile;
  /** Keys that cannot be exported, because only their hashes are stored. */
  secretKeys: ApiKey[];
}

/** The configuration of one or all properties as a file that `apply` accepts. */
export function exportConfiguration(
  database: Database,
  model: ConfigurationModel,
  propertyId?: string,
): Promise<ExportedConfiguration> {
  return database
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const properties: PropertyConfiguration[] = [];
      for (const stored of await model.property.rows.list(transaction, propertyId)) {
        properties.push(await loadProperty(transaction, model, stored));
      }
      return {
        file: { properties: properties.map((property) => exportProperty(model, property)) },
        secretKeys: properties.flatMap(({ apiKeys }) => apiKeys.filter((key) => key.publicKey === null)),
      };
    });
}

/** The lists are in the order of the schema. */
function exportProperty(model: ConfigurationModel, property: PropertyConfiguration): ProvisionedProperty {
  const { createdAt: _createdAt, ...settings } = model.propertyDocument(property);
  const lists = Object.keys(ProvisionedProperty.properties).flatMap((name) => {
    const definition = model.collections.find(({ field }) => field === name);
    if (definition?.file === undefined) return [];
    const entries = model
      .itemsOf(property, definition.type)
      .flatMap((item) => exportedEntry(model, definition.type, item) ?? []);
    return entries.length === 0 && definition.file.omittedIfEmpty ? [] : [[name, entries]];
  });
  return { ...settings, ...Object.fromEntries(lists) } as unknown as ProvisionedProperty;
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
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.search(HIDDEN) !== -1) node.type = 'QUOTE_DOUBLE';
    },
  });
  // The library escapes only what JSON does.
  return document.toString({ lineWidth: 0 }).replaceAll(HIDDEN, escaped);
}

/** Characters that terminals or editors do not show, or that change the direction of what follows. */
const HIDDEN = /[^\P{C}\n]|[\u2028\u2029]/gu;

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
